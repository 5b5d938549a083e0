// SPDX-License-Identifier: Apache-2.0
// What the driver knows of the program that it is in: modules and kernels by their handles, and memory that it pretends
// to be a device's. A driver is a library of functions without an object, so there is one State a process; it is never
// destroyed, as programs call the driver from their destructors.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "input/record/driver/abi.h"
#include "input/record/driver/channel.h"
#include "input/record/driver/sharing.h"

namespace ptxmc::record::driver {

/// A module or a library: they are one thing here.
struct Module {
  std::uint64_t number = 0;  // ptxmc's
  std::map<std::string, std::unique_ptr<struct Kernel>> kernels;
  std::map<std::string, std::pair<Address, std::size_t>> variables;
};

struct Kernel {
  Module* module = nullptr;
  std::string name;
  bool asked = false, known = false;                                // of ptxmc
  std::vector<std::pair<std::uint64_t, std::uint64_t>> parameters;  // offset, bytes
  std::uint64_t shared = 0;                                         // static
  int dynamic = 48 << 10;                                           // what cuFuncSetAttribute allowed
  bool allowed = false;                                             // it was asked
};

class State {
 public:
  Channel channel;

  bool forwards() const { return !channel.settings().forward_to.empty(); }

  /// Tells ptxmc of an image; null: there is nothing to tell.
  Module* load(const void* image);
  /// The handle stands for it from now on.
  void name_module(Handle handle, Module* module);
  void name_kernel(Handle handle, Kernel* kernel);
  Module* module(Handle handle);
  Kernel* kernel(Handle handle);
  /// The kernel of that name, whether there is one or not.
  Kernel* kernel(Module& module, const std::string& name);
  /// Asks ptxmc for its parameters, once.
  bool describe(Kernel& kernel);

  /// Memory of the host that stands for a device's; 0: there is none left.
  Address allocate(std::size_t bytes);
  bool release(Address address);
  /// The allocation that an address is in.
  std::optional<std::pair<Address, std::size_t>> find(Address address);

  /// Physical memory that other processes have, and where it is mapped.
  Shares shares;

  std::recursive_mutex mutex;
  std::mutex launching;  ///< what was looked at for a launch is told with it

 private:
  std::vector<std::unique_ptr<Module>> modules_;
  std::map<Handle, Module*> by_handle_;
  std::map<Handle, Kernel*> kernels_;
  std::map<Address, std::size_t> memory_;
};

State& state();

/// What an image is: what a GPU's tools made, an object file of another machine, or text.
enum class Form : std::uint8_t { binary, other_object, text };
Form form_of(const void* image);

/// So many bytes begin at an image: a fat binary, its wrapper, an object file or text.
std::string_view image_at(const void* image);

}  // namespace ptxmc::record::driver

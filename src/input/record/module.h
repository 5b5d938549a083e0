// SPDX-License-Identifier: Apache-2.0
// Modules of a recorded program, and what a launch of one of their kernels needs.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "input/record/image.h"
#include "ptx/text/syntax.h"

namespace ptxmc::record {

struct Parameter {
  std::uint64_t offset = 0, bytes = 0;
  bool scalar = false;
  /// Which of its bytes the kernel may read: others are what the host left there, and mean nothing.
  std::vector<bool> read;
};

struct KernelFacts {
  std::vector<Parameter> parameters;
  std::uint64_t shared = 0;         ///< bytes of static shared memory
  std::set<std::string> variables;  ///< of the module, in memory that kernels may write, that it may name
  std::set<std::string> constants;  ///< the same of constant memory
};

class Module {
 public:
  Module(std::uint64_t number, std::string image) : number_(number), image_(std::move(image)) {}

  std::uint64_t number() const { return number_; }
  /// Reads the PTX, once. False: there is none that can be read, and why() says why.
  bool read(unsigned architecture, const PtxFolders& folders);
  const std::string& why() const { return why_; }
  const std::string& text() const { return ptx_.text; }
  /// PtxFolders::Found::by_name
  const std::string& found_by_name() const { return ptx_.by_name; }

  /// Null: it has no kernel of that name.
  const KernelFacts* kernel(const std::string& name);
  std::vector<std::string> kernels() const;
  std::optional<std::uint64_t> variable_bytes(const std::string& name) const;

  /// Variables that kernels launched before may have written.
  std::set<std::string> touched;

 private:
  KernelFacts facts_of(const ptx::Function& entry) const;

  std::uint64_t number_;
  std::string image_, why_;
  Ptx ptx_;
  bool tried_ = false;
  std::unique_ptr<const ptx::Module> module_;
  std::map<std::string, KernelFacts> facts_;
};

}  // namespace ptxmc::record

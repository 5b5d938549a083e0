// SPDX-License-Identifier: Apache-2.0
// What the parameters of a kernel hold, byte for byte: its signature and the arguments of a launch.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "input/launch/launch.h"
#include "ptx/program/inner_map.h"
#include "ptx/text/syntax.h"
#include "support/diagnostic.h"

namespace ptxmc::launch {

/// Bits of a value of the parameter, or an address.
using Piece = std::variant<std::uint64_t, Pointer>;

class Parameters {
 public:
  /// Compares arguments with the signature; what does not fit is reported.
  Parameters(const Plan& plan, const Launch& launch, const ptx::Module& module, const ptx::Function& entry,
             Diagnostics& diagnostics);

  bool has(std::string_view name) const { return parameters_.contains(std::string(name)); }
  std::uint64_t bytes(const std::string& name) const { return parameters_.at(name).bytes; }
  /// The byte at which it begins in the memory of the kernel's parameters: one after the other, each aligned as declared (6.4.1).
  std::uint64_t place(const std::string& name) const { return parameters_.at(name).place; }
  /// What `bytes` bytes at an offset hold; nothing: a part of an address, or outside of the parameter.
  std::optional<Piece> at(const std::string& name, std::int64_t offset, std::uint32_t bytes) const;
  /// The tensor map that some of these bytes are of; null: they are of none.
  const MapName* map_at(const std::string& name, std::int64_t offset, std::uint32_t bytes) const;
  /// The parameter in memory, for code that takes its address. Nothing, with the reason: it cannot be there.
  /// `inner`: takes the maps that are parts of it; null: it may have none.
  std::optional<program::Variable> object(const std::string& name, std::string& why,
                                          std::vector<program::InnerMap>* inner = nullptr) const;
  /// Tensor maps in global memory, whose addresses are arguments.
  std::vector<program::Variable> maps_in_memory() const;

 private:
  struct Parameter {
    std::uint64_t bytes = 0;
    std::uint32_t align = 1;
    std::uint64_t place = 0;
    std::vector<std::uint8_t> data;                        // of what is no address
    std::map<std::uint64_t, Pointer> addresses;            // of 8 bytes, by offset
    std::optional<MapName> map;                            // all of it is a tensor map
    std::vector<std::pair<std::uint64_t, MapName>> inner;  // parts of it are maps, by offset
    Position position;
  };
  void fill(Parameter& out, const ptx::Variable& declared, const Argument& argument);
  void put(Parameter& out, std::uint64_t offset, const Number& number, std::uint32_t bytes);
  void put(Parameter& out, std::uint64_t offset, const Pointer& pointer);
  bool known(const Pointer& pointer);
  std::optional<program::TensorMap> map_of(const MapName& name) const;

  std::set<std::string> buffers_;
  std::map<std::string, const Tensor*> tensors_;
  Diagnostics& diagnostics_;
  std::map<std::string, Parameter> parameters_;
  std::vector<MapName> in_memory_;
};

/// The name that a buffer has in the program: its own, where that is no word of conditions and no register.
std::string name_of_buffer(const std::string& name);

/// A number in so many bytes: of an f32 the bits of the float, and so on. Nothing: it does not fit.
std::optional<std::uint64_t> bits_of(const Number& number, std::string_view type, std::uint32_t bytes);

}  // namespace ptxmc::launch

// SPDX-License-Identifier: Apache-2.0
// Memory objects and initial values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ptx/footprint/tensor_map.h"
#include "ptx/isa/isa.h"
#include "support/source.h"

namespace ptxmc::program {

/// The value of an initialiser: an integer, or the address of a variable (`P0:r2=x`, `y=&x`).
struct InitialValue {
  std::int64_t integer = 0;  // 64-bit pattern; of an address, bytes behind the variable's begin
  std::string address_of;    // empty: integer
  friend bool operator==(const InitialValue&, const InitialValue&) = default;
};

/// A tensor map (5.5): `tensor(A+64, .f16, dims={64, 8}, strides={128}, box={16, 4})`.
struct TensorMap : footprint::TiledMap {
  std::string base;         // the tensor in global memory
  std::int64_t offset = 0;  // bytes
  friend bool operator==(const TensorMap&, const TensorMap&) = default;
};

/// Bytes of a variable.
struct Extent {
  std::uint64_t begin = 0, bytes = 0;
  std::uint64_t end() const { return begin + bytes; }
  friend bool operator==(const Extent&, const Extent&) = default;
};

/// A memory variable: declared in PTX form, named in herd form, or only used by an instruction (then zero).
struct Variable {
  std::string name;
  isa::Space space = isa::Space::global;  // global or shared (and const_, local: clear errors in lowering)
  std::optional<isa::Type> type;          // absent: untyped (width of its accesses, else 64 bits signed)
  std::uint32_t elements = 1;             // > 1: array
  bool is_array = false;
  std::uint32_t align = 0;            // bytes; 0: natural
  std::vector<InitialValue> initial;  // fewer than elements: the rest per `unset`
  bool ptx_form = false;  // PTX form: an unset .shared variable holds an unknown constant, .global zero
  bool reserved = false;  // for the system's software (10.29)
  bool opaque = false;    // unset, it holds unknown constants in any space
  std::vector<Extent> open = {};  // if not opaque: bytes that hold unknown constants, in their order
  std::string aliases;            // virtual alias of this variable; empty: none
  isa::Proxy alias_proxy = isa::Proxy::generic;  // `c @ constant aliases x`
  std::vector<std::string> locations;  // of a multimem address: the variables that it stands for (8.2.3)
  std::optional<TensorMap> map;  // .tensormap: an opaque object of 128 bytes, of type .b8[128] otherwise
  Position position;
};

struct RegisterInit {
  int thread = 0;
  std::string name;  // without % and without thread
  InitialValue value;
  Position position;
  bool may_change = false;  ///< %warpid: another moment may give another value (R295)
};

}  // namespace ptxmc::program

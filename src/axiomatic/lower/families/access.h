// SPDX-License-Identifier: Apache-2.0
// Scalar accesses: what an instruction divides into.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "axiomatic/event/program_graph.h"
#include "axiomatic/lower/memory/cells.h"

namespace ptxmc::lower {

/// The bytes that one scalar access covers.
struct Access {
  VariableId name = 0;
  std::vector<event::CellId> cells;  // ascending by address
  std::vector<std::uint32_t> bytes;  // of each cell
  bool is_signed = true;
  event::Width width = 64;  // of a word: of the value, or of half of a 16-byte value
  std::size_t words = 1;    // 2: 16 bytes
  bool computed = false;    // through an address that is not constant
  event::Expr address;      // then
};

/// How an instruction divides into scalar accesses (8.2.4, 8.2.5; D11).
struct Shape {
  std::optional<std::uint32_t> bytes;  // of a scalar access; absent: of the variable's element
  std::uint32_t count = 1;             // scalar accesses
};

/// One place where an instruction may act, and the scalar accesses there.
struct Target {
  event::Expr guard;
  event::Expr here;  // of a computed address: it names this place
  std::vector<Access> scalars;
};

/// Values of scalar accesses, in address order; two for one of 16 bytes.
using Words = std::vector<event::Expr>;

}  // namespace ptxmc::lower

// SPDX-License-Identifier: Apache-2.0
// What every opcode is, apart from its forms: one row an opcode.
#pragma once

#include <span>

#include "isa/isa.h"

namespace ptxmc::isa {

/// Opcodes that are lowered and checked alike.
enum class Family : std::uint8_t {
  memory,      // ld, st, atom, red (9.7.8, 9.7.12)
  fence,       // of memory order and of proxies
  barrier,     // bar, barrier.cluster and what makes mbarriers visible (9.7.12.1 to 9.7.12.4)
  mbarrier,    // 9.7.12.15
  arithmetic,  // registers only
  control,     // jumps and ends
  async_copy,  // 9.7.8.24, and the asynchronous stores
  exchange,    // between the lanes of a warp
  matrix,      // 9.7.13, 9.7.14
  tensor,      // 9.7.16
  grid,        // griddepcontrol
  api,         // a host thread's calls
};

struct OpcodeTraits {
  Opcode opcode;
  Family family;
  bool has_result;  ///< the first operand is its destination
  bool repeatable;  ///< in a loop that waits, all turns but the last may be dropped; of atom: cas alone
};

/// One row an opcode, in the order of Opcode.
std::span<const OpcodeTraits> opcode_traits();
const OpcodeTraits& traits(Opcode);

}  // namespace ptxmc::isa

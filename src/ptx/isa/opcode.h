// SPDX-License-Identifier: Apache-2.0
// What every opcode is, apart from its forms (ptx/isa/table.h): one row an opcode.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "ptx/isa/isa.h"
#include "ptx/isa/target.h"

namespace ptxmc::isa {

/// Whether the opcode takes a multimem address (9.7.8.13).
constexpr bool is_multimem(Opcode opcode) {
  return opcode == Opcode::multimem_load || opcode == Opcode::multimem_store ||
         opcode == Opcode::multimem_reduce;
}

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
  heap,        // device code's calls of malloc and free, and lifetimes of local variables
  api,         // a host thread's calls
};

/// How an instruction on registers computes its result.
enum class Pure : std::uint8_t {
  none,      // it is none, or not from its operands alone
  move,      // mov
  convert,   // cvt
  address,   // cvta, mapa
  select,    // selp
  compare,   // setp
  product,   // mul, mad
  shift,     // shl, shr
  apply,     // one operation on all its sources
  bits,      // integers and bits, several operations (axiomatic/lower/integers.h)
  function,  // of floating numbers: equal sources give equal results, nothing else is known
};

enum class Trait : std::uint16_t {
  none = 0,
  repeats = 1,      // in a loop that waits, all turns but the last may be dropped; of atom: cas alone
  acts = 2,         // it happens once, not once for each lane that executes it
  collective = 4,   // lanes of a warp, or of more, execute it together
  warpgroup = 8,    // four warps do
  remote = 16,      // its mbarrier object may be another CTA's
  commits = 32,     // what is open becomes a group of asynchronous operations
  waits = 64,       // for such groups
  of_wgmma = 128,   // it is in wgmma-groups, or about them
  of_copies = 256,  // the same of copies: bulk groups, or those of cp.async
  ends = 512,       // the thread
  bits = 1024,      // a short form without a type means .b64; else .s64
  braces = 2048,    // a register may stand in braces, as a vector of one (ptxas takes it; no section says so)
};
constexpr Trait operator|(Trait a, Trait b) {
  return static_cast<Trait>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}

class Resolver;
/// What modifiers need.
using Since = Target (*)(const Modifiers&);
/// What spans groups of modifiers.
using Rules = void (Resolver::*)();
/// The canonical mnemonic, which `name` begins.
using Spelled = std::string (*)(std::string_view name, const Modifiers&);

struct OpcodeTraits {
  Opcode opcode;
  Family family;
  Trait traits;
  Pure pure;
  Target target;  ///< of its plainest form
  Since since;    ///< null: that is all it needs
  Rules rules;    ///< null: none
  std::string_view name;
  Spelled spell;
  constexpr bool has(Trait trait) const {
    return (static_cast<unsigned>(traits) & static_cast<unsigned>(trait)) != 0;
  }
};

/// One row an opcode, in the order of Opcode.
std::span<const OpcodeTraits> opcode_traits();
const OpcodeTraits& traits(Opcode);

/// How it computes with these modifiers: on floating numbers a function of which nothing is known, with .sat, .cc and
/// on packed numbers several operations.
Pure pure_of(Opcode opcode, const Modifiers& modifiers);

/// Lanes must have met before it: a collective instruction, if not of those that meet by themselves.
bool needs_convergence(Opcode opcode, const Modifiers& modifiers);

}  // namespace ptxmc::isa

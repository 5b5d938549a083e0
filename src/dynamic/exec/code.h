// SPDX-License-Identifier: Apache-2.0
// A body, decoded once: registers, constants and addresses of variables are slots, labels are numbers of instructions,
// and each instruction knows the function that executes it on the lanes of a warp.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dynamic/exec/registers.h"
#include "ptx/isa/table.h"
#include "ptx/program/program.h"
#include "ptx/rules/operands.h"

namespace ptxmc::exec {

struct Warp;
struct Step;

/// What an instruction on registers alone does to the rows of a warp, in the lanes of the mask.
using Compute = void (*)(Row* rows, const Step&, LaneMask);
/// What an instruction does that is none on registers alone; a part of the machine does it (executor.cpp says which).
enum class Act : std::uint8_t {
  none,
  load,
  store,
  atomic,
  fence,
  proxy_fence,
  barrier,
  cluster_arrive,
  cluster_wait,
  init_fence,
  mbarrier_update,
  mbarrier_arrive,
  mbarrier_wait,
  pending_count,
  check_layout,
  convert_address,
  compare_branch,
  leave,
  trap,
  nothing,
  pass_time,
  apply_priority,
  exchange,
  copy_async,
  commit,
  wait_group,
  copy_arrive,
  copy_bulk,
  prefetch_bulk,
  prefetch_tensor,
  copy_tensor,
  replace_map,
  store_async,
  reduce_async,
  fill_bulk,
  cancel_launch,
  query_cancel,
  discard,
  multimem,
  active_mask,
  tensor_copy,
  tensor_shift,
  tensor_product,
  tensor_fence,
  tensor_commit,
  wait_for_grids,
  launch_dependents,
  allocate,
  free_blocks,
  begin_local,
  end_local,
  succeed,
};

constexpr std::size_t kRoles = static_cast<std::size_t>(isa::Role::device) + 1;
constexpr std::size_t kMostSources = 8;

/// What becomes of a result that is not as wide as its register: extended by the sign, or by zeros.
struct Fit {
  std::uint8_t from = 64;  // bits; 64: nothing
  bool is_signed = false;
};

using trace::Address;

/// An address operand: a register or the address of a variable, and an offset.
struct Place {
  Slot base = kNoSlot;
  std::int64_t offset = 0;
  isa::Space space = isa::Space::generic;
  bool names_variable = false;  // a variable of shared or local memory, which the instruction does not say
  bool of_local = false;
  Address wraps = ~Address{0};  // the bits of a sum of base and offset: 32 of a register of 32 bits
};

/// A loop that polls memory until it reads what it waits for; its other turns do nothing.
struct PollLoop {
  std::vector<bool> steps;   // of the code: those of turns that come back
  std::vector<Slot> inputs;  // registers that a turn reads, and that are the same in all turns
  /// The step that tries the same again, which a try ahead of a loop comes to instead of itself.
  std::optional<std::size_t> again = std::nullopt;
  /// The bar.red, vote or shuffle by which one thread that polls for others tells them what it read.
  std::optional<std::size_t> told = std::nullopt;
  std::vector<Slot> left_behind = {};  // as of the read, for all that are told
};

/// The registers that a wgmma.mma_async of the code uses, by number in Code::watched: those of a
/// wgmma.mma_async, or those that another instruction reads or writes.
struct MatrixRegisters {
  std::vector<std::uint16_t> accumulator, multiplicand, touched;
};

struct Step {
  Compute compute = nullptr;  // one of these two; none of both: it goes on, or jumps
  Act act = Act::none;
  Slot guard = kNoSlot;
  bool guard_negated = false;
  bool jumps = false;
  bool is_unknown = false;  // of an instruction on registers: its result is not evaluated, and rests on data
  bool waits_in_loop = false;  // a wait for an mbarrier that is retried until it succeeds
  enum class Token : std::uint8_t { none, skips_if_taken, skips_if_not };
  bool is_tried_ahead = false;  // dynamic/exec/try_results.h
  Token token = Token::none;    // of a branch
  enum class Trap : std::uint8_t { none, if_taken, if_not };
  Trap traps = Trap::none;  // of a branch or trap: the way that ends in a trap, if the other does not
  isa::TrapCause trap_cause = isa::TrapCause::instruction;  // of that trap, the first that the way comes to
  bool counts_turns = false;    // its result differs from turn to turn of such a wait
  bool decides = false;         // a read: control may rest on its result
  bool guards_exit = false;     // a read: whether a thread exits may rest on its result
  bool counts = false;          // an atomic whose result is but compared (counter_atomics.h)
  std::uint64_t looked_at = 0;  // of such an atomic, where only some bits of its result are looked at: these
  Slot counted = kNoSlot;       // of a comparison for equality: the result
  bool divides = false;         // by zero: the result is not known (9.7.1.8)
  bool gives_float = false;     // arithmetic that is evaluated: which NaN it gives is not said (9.7.3)
  bool may_fuse = false;        // a product that a sum may take unrounded (9.7.3.5): its result, or not
  const rules::OperandLimit* limit = nullptr;  // an instruction on registers: what an operand may be
  bool reads_clock = false;
  bool orders = true;      // a barrier; else it gives its results alone (Change::unorder)
  std::uint8_t bits = 32;  // of its type
  std::uint8_t element_bytes = 0,
               element_count = 1;  // of an access: its elements (8.2.4); 0 bytes: the variable's
  std::uint8_t source_count = 0;
  Slot to = kNoSlot, second = kNoSlot;  // results
  trace::Site target = 0;               // of a jump
  std::array<Slot, kMostSources> sources{};
  std::array<std::uint8_t, kMostSources> source_bits{};
  Fit fit;
  std::uint64_t negated = 0;  // roles of predicates that are read negated: a bit each
  std::array<Slot, kRoles> by_role{};
  Place address, source, mbarrier, tensor;
  std::vector<std::pair<isa::Role, Place>> in_tensor;  // of tcgen05: operands in tensor memory
  // registers of a vector, or of what stands in its place; of a .b128 two; kNoSlot: `_`
  std::vector<Slot> elements;
  /// Predicates that are read negated, and where their opposites are while the instruction executes.
  std::vector<std::pair<Slot, Slot>> opposites;
  std::vector<Slot> values, results;      // of an atomic on a vector
  std::shared_ptr<const PollLoop> polls;  // of a read in such a loop
  std::shared_ptr<const PollLoop> takes;  // of an atomic in a loop that is left when it has written
  /// Registers that may hold something else at a wait in a loop if there were other turns before the last
  /// one.
  std::vector<Slot> left_behind;
  /// In a loop that lets time pass, of what has a guard: the registers that the loop writes.
  std::shared_ptr<const std::vector<Slot>> idles;
  // of such a wait or read: branches in its turns of which one way ends in a trap
  std::vector<trace::Site> avoids;
  std::vector<Slot> coordinates;                   // of a tensor copy
  std::vector<Slot> fragments;                     // of matrices that are read
  std::shared_ptr<const MatrixRegisters> watched;  // null: it has none of them
  trace::Site site = 0;
  const program::Instruction* instruction = nullptr;

  const isa::Modifiers& modifiers() const { return instruction->modifiers; }
  std::uint32_t bytes() const { return std::uint32_t{element_bytes} * element_count; }
  Slot slot(isa::Role role) const { return by_role[static_cast<std::size_t>(role)]; }
  bool has(isa::Role role) const { return slot(role) != kNoSlot; }
  bool is_negated(isa::Role role) const { return (negated >> static_cast<unsigned>(role) & 1U) != 0; }
};

/// A row that holds the same from the start on: a number, the address of a variable, or a predefined register.
struct Constant {
  Slot slot = 0;
  std::uint64_t number = 0;
  std::string variable;                 // its address is added
  std::optional<isa::Special> special;  // of the thread's place
  std::string name;                     // of the special register
};

/// The carry flag (9.7.2) among the registers of a code.
constexpr const char* kCarry = "$carry";

struct Code {
  std::shared_ptr<const program::Body> body;
  OriginsPtr origins;       // of the program's lines
  trace::Site first = 0;    // site of the first instruction
  std::vector<Step> steps;  // an `exit` at the end
  std::size_t slots = 0;
  std::unordered_map<std::string, Slot> registers;
  std::vector<std::uint16_t> widths;  // of registers, by slot; 64 where nothing is declared
  std::vector<Constant> constants;
  std::vector<std::string> watched;  // registers of accumulators and A fragments of wgmma.mma_async
  std::vector<Slot> clocks;          // constants that differ from one moment to the next
  // Where atomics stand in the order of their location may decide or order something: what they read does, or a fence, say, does.
  bool heeds_order = false;
};

/// The registers of what a read gives, of a vector one an element; kNoSlot: no instruction wants that.
std::vector<Slot> read_by(const Step& step);

/// How many words an observer is told of a register that is stored (trace::Access::written): of a packed
/// value its elements.
std::size_t parts_of_element(const Step& step);

/// Throws InputError with every instruction that is not supported. Sites count from `first`.
Code decode(const program::Program& program, std::shared_ptr<const program::Body> body, trace::Site first);

}  // namespace ptxmc::exec

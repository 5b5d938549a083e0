// SPDX-License-Identifier: Apache-2.0
// tcgen05 (9.7.16): allocation, waits, fences and commits.
//
// alloc and dealloc are synchronous; each counts as a write of the columns, beside program order, so that an
// access of a column that is not ordered with its allocation is a data race. An alloc never waits for columns: all
// that a CTA allocates has columns of its own, from column 0 on in the order of the threads. With .cta_group::2 a warp
// of each CTA of the pair executes the instruction together with one of the other (R285, R291): it waits for that. A commit signals
// an mbarrier object when the mma, cp and shift of its thread and .cta_group are complete; it carries nothing
// else (D41).
#include "axiomatic/lower/families/tcgen05.h"

#include <algorithm>

#include "axiomatic/lower/unit/matrix_values.h"
#include "finding/rules.h"
#include "ptx/rules/limits.h"

namespace ptxmc::lower {

using event::TensorOp;
using isa::Opcode;

namespace {

constexpr event::Value kPairKinds = 3;

/// What the warps of a pair execute together.
event::Value pair_kind(Opcode opcode) {
  return opcode == Opcode::tcgen05_alloc ? 0 : opcode == Opcode::tcgen05_dealloc ? 1 : 2;
}

}  // namespace

std::uint32_t Tcgen05::column_count(const State& state, const Instruction& instruction) {
  const Operand& operand = instruction.operand(Role::count);
  const bool exclusive = instruction.modifiers.tensor.exclusive;
  const std::uint32_t columns = registers_.constant_operand(state, operand, "a number of columns");
  if (!rules::is_column_count(columns, exclusive)) {
    fail(operand.position, std::to_string(columns) + " columns, expected " +
                               (exclusive ? rules::kExclusiveColumnCounts : rules::kColumnCounts));
  }
  return columns;
}

/// Allocations of a CTA whose peer has none, in a program that uses the tensor memory of both: what it does to columns
/// that only one of the CTAs has allocated is not defined (9.7.16.7.1).
bool Tcgen05::pair_is_alone(const Instruction& instruction) const {
  const Cluster pair = memory_.tensor_ctas(instruction);
  bool allocates = false, uses = false;
  for (event::ThreadId t = 0; t < unit_.program.threads.size(); ++t) {
    const event::ThreadInfo& info = graph_.threads[t];
    if (info.cta != pair.front() && info.cta != pair.back()) continue;
    for (const Instruction& other : unit_.program.threads[t].code()) {
      if (other.modifiers.tensor.cta_group != 2) continue;
      allocates = allocates || (info.cta != info_.cta && other.opcode == Opcode::tcgen05_alloc);
      uses = uses || other.opcode == Opcode::tcgen05_mma || other.opcode == Opcode::tcgen05_cp ||
             other.opcode == Opcode::tcgen05_shift;
    }
  }
  return uses && !allocates;
}

/// R285, R291: the warps of a pair wait for each other, which orders no memory.
void Tcgen05::meet_pair(const Instruction& instruction, State& state) {
  if (instruction.modifiers.tensor.cta_group != 2) return;
  const Expr guard = registers_.event_guard(instruction, state);
  if (pair_is_alone(instruction)) {
    if (instruction.opcode == Opcode::tcgen05_alloc)
      misuse(finding::RuleId::tensor_memory_address, guard, instruction);
    return;
  }
  const Cluster pair = memory_.tensor_ctas(instruction);
  Event arrival = new_event(EventKind::arrival, instruction, guard);
  arrival.barrier.emplace();
  arrival.barrier->exchange = true;
  arrival.barrier->id = pool_.constant(0, unit_.word());
  arrival.barrier->instance =
      event::Value{std::min(pair.front(), pair.back())} * kPairKinds + pair_kind(instruction.opcode);
  arrival.barrier->count = pool_.constant(2, unit_.word());
  const EventId id = unit_.add_event(arrival);
  Event wait = std::move(arrival);
  wait.kind = EventKind::wait;
  const EventId wait_id = unit_.add_event(std::move(wait));
  graph_.events[id].barrier->wait = wait_id;
  progress_.block(instruction, state, id, wait_id);
}

void Tcgen05::tensor_allocate(const Instruction& instruction, State& state) {
  const std::uint32_t columns = column_count(state, instruction);
  meet_pair(instruction, state);
  const Expr guard = registers_.event_guard(instruction, state);
  std::int64_t column = layout_.first_free_column();
  for (const Unit::TensorChange& earlier : unit_.allocations) {
    if (earlier.cta != info_.cta) continue;
    // PTX ISA 9.4, 9.7.18.7.1: it waits until the other is freed
    if (earlier.exclusive || instruction.modifiers.tensor.exclusive)
      unsupported(instruction.position, "an exclusive allocation beside others of one CTA");
    column = std::max(column, earlier.column + earlier.columns);
  }
  column = (column + columns - 1) / columns * columns;
  if (column + columns > footprint::kTensorColumns) {
    unsupported(instruction.position, "allocations of more than 512 columns together in one CTA");
  }
  const EventId issue = memory_.tensor_issue(instruction, TensorOp::alloc, guard);
  graph_.events[issue].tensor.columns = columns;
  const std::vector<std::uint32_t> ctas = memory_.tensor_ctas(instruction);
  const TensorAllocation allocation{info_.cta, column, columns, *std::min_element(ctas.begin(), ctas.end())};
  layout_.note_allocation(allocation);
  unit_.allocations.push_back({issue, info_.cta, column, columns, instruction.modifiers.tensor.exclusive});
  const auto unspecified = [&](event::CellId cell) {
    return upper_half(pool_, uninterpreted(pool_, "allocated", {pool_.constant(cell, 64)}));
  };
  const TensorRegion region{{0, footprint::kTensorLanes, column, columns}};
  const EventId write = memory_.tensor_access(EventKind::write, instruction, info_.cta, region, issue, guard,
                                              unspecified, nullptr);
  graph_.events[write].labels.allocates = true;
  Instruction address = instruction;  // the address, as a weak store (9.7.16.7.1)
  address.opcode = Opcode::st;
  address.modifiers = {};
  address.modifiers.space = instruction.modifiers.space;
  address.modifiers.type = isa::Type{isa::TypeClass::bits, 32};
  const Expr base = unit_.places.allocation(pool_, allocation);
  for (const Target& place : accesses_.targets(address, address.operand(Role::address), state)) {
    const Access& word = place.scalars.front();
    accesses_.add_write(accesses_.access_event(EventKind::write, address, place.guard, word), word,
                        {resize(pool_, {base, false}, word.width)});
  }
}

void Tcgen05::tensor_deallocate(const Instruction& instruction, State& state) {
  const std::uint32_t columns = column_count(state, instruction);
  const Expr address = memory_.tensor_operand(state, instruction.operand(Role::address));
  meet_pair(instruction, state);
  for (const TensorBinding& binding : memory_.bind_tensor(instruction, state, {address})) {
    const TensorAddress at = binding.addresses.front();
    const EventId issue = memory_.tensor_issue(instruction, TensorOp::dealloc, binding.guard);
    graph_.events[issue].tensor.address = at.lane << 16 | at.column;
    const TensorRegion region{{0, footprint::kTensorLanes, at.column, columns}};
    if (at.lane != 0 || !in_tensor_memory(region)) {
      misuse(finding::RuleId::tensor_memory_dealloc, binding.guard, instruction);
      continue;
    }
    unit_.deallocations.push_back(
        {issue, info_.cta, at.column, columns, instruction.modifiers.tensor.exclusive});
    const auto freed = [&](event::CellId cell) {
      return upper_half(pool_, uninterpreted(pool_, "freed", {pool_.constant(cell, 64)}));
    };
    for (const std::uint32_t cta : memory_.tensor_ctas(instruction)) {
      const EventId write = memory_.tensor_access(EventKind::write, instruction, cta, region, issue,
                                                  binding.guard, freed, nullptr);
      graph_.events[write].labels.allocates = graph_.events[write].labels.frees = true;
    }
  }
}

void Tcgen05::tensor_relinquish(const Instruction& instruction, State& state) {
  meet_pair(instruction, state);
  memory_.tensor_issue(instruction, TensorOp::relinquish, registers_.event_guard(instruction, state));
}

void Tcgen05::tensor_fence(const Instruction& instruction, State& state) {
  Event fence = new_event(EventKind::group, instruction, registers_.event_guard(instruction, state));
  fence.tensor.op = instruction.modifiers.tensor.after ? TensorOp::after : TensorOp::before;
  unit_.add_event(std::move(fence));
}

/// R284: the thread's loads, or its stores, are complete.
void Tcgen05::tensor_wait(const Instruction& instruction, State& state) {
  const Expr guard = registers_.event_guard(instruction, state);
  const EventId wait = unit_.add_event(new_event(EventKind::group, instruction, guard));
  TensorState::Accesses& accesses =
      instruction.modifiers.tensor.stores ? state.tensor.stores : state.tensor.loads;
  for (const EventId access : accesses) graph_.completed.emplace_back(access, wait);
  if (!instruction.guard) accesses.clear();
}

/// R283: one arrival, at cluster scope, on each object that it names.
void Tcgen05::tensor_commit(const Instruction& instruction, State& state) {
  const Operand& operand = instruction.operand(Role::mbarrier);
  // PTX ISA 9.4, 9.7.18.12.1: with .sync_restrict it tells of the reads of A alone
  const auto& all = instruction.modifiers.reads_only ? state.tensor.reads_of_a : state.tensor.tracked;
  const auto& tracked = all.at(instruction.modifiers.tensor.cta_group - 1U);
  const Expr guard = registers_.event_guard(instruction, state);
  std::vector<MbarrierPlace> places;
  if (instruction.modifiers.multicast) {
    Location location = addresses_.tile_location(operand, state);
    for (const std::uint32_t cta : completions_.destinations(instruction, state, location)) {
      location.cta = cta;
      places.push_back(*mbarriers_.mbarrier_place(instruction, operand, location, true));
      places.back().guard = guard;
    }
  } else {
    places = mbarriers_.mbarrier_places(instruction, operand, state);
  }
  const EventId issue = memory_.tensor_issue(instruction, TensorOp::commit, guard);
  for (const MbarrierPlace& place : places)
    completions_.signal(instruction, place, issue, tracked, pool_.constant(1, unit_.word()), std::nullopt);
}

}  // namespace ptxmc::lower

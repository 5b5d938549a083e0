// SPDX-License-Identifier: Apache-2.0
// bar and barrier{.cta} (9.7.12.1): an arrival and, for sync and red, a wait. Native counts are in PTX
// threads, of which a litmus thread stands for a warp; the short form's are in litmus threads.
// bar.warp.sync (9.7.12.2): the same, between the litmus threads of a `warp N`: it orders memory though 8.9.4
// does not name it (D21), and threads that have exited count as arrived (D40).
#include "axiomatic/lower/families/barriers.h"

#include <map>
#include <set>

#include "axiomatic/event/barriers.h"
#include "ptx/rules/limits.h"
#include "ptx/rules/together.h"

namespace ptxmc::lower {

using event::Barrier;
using isa::Opcode;

void Barriers::barrier(const Instruction& instruction, State& state) {
  const Barrier operands = barrier_operands(instruction, state);
  const Expr guard = registers_.event_guard(instruction, state);
  if (rules::is_together(instruction.opcode, instruction.modifiers))
    note_converged(instruction, guard, std::nullopt);
  Event arrival = new_event(EventKind::arrival, instruction, guard);
  arrival.labels.semantics = isa::Semantics::release;
  arrival.labels.scope = isa::Scope::cta;
  arrival.barrier = operands;
  const EventId id = unit_.add_event(arrival);
  if (instruction.opcode == Opcode::bar_arrive) return;

  Event wait = arrival;
  wait.kind = EventKind::wait;
  wait.labels.semantics = isa::Semantics::acquire;
  const EventId wait_id = unit_.add_event(std::move(wait));
  graph_.events[id].barrier->wait = wait_id;
  progress_.block(instruction, state, id, wait_id);
  if (instruction.opcode == Opcode::bar_red) barrier_result(instruction, state, id, wait_id);
}

Barrier Barriers::barrier_operands(const Instruction& instruction, const State& state) {
  Barrier barrier;
  barrier.instance_first = instruction.modifiers.instance_first;
  if (barrier.instance_first) {
    const Operand& label = instruction.operand(Role::instance);
    const auto* instance = std::get_if<program::Integer>(&label.value);
    if (!instance) fail(label.position, "expected a number that labels the barrier instance");
    barrier.instance = instance->value;
    const Operand* id = instruction.find(Role::barrier);
    barrier.id =
        id != nullptr ? registers_.operand(state, *id, unit_.word()) : pool_.constant(0, unit_.word());
    barrier.count = barrier_count(instruction, state);
    return barrier;
  }
  if (instruction.modifiers.warp) return warp_barrier(instruction, state);
  const Operand& name = instruction.operand(Role::barrier);
  barrier.id = resize(pool_, {registers_.operand(state, name, 32), false}, unit_.word());
  if (std::holds_alternative<program::Integer>(name.value) && pool_.is_constant(barrier.id)) {
    const event::Value id = pool_[barrier.id].constant;
    if (id < 0 || id >= rules::kBarriers)
      fail(name.position, "barrier " + std::to_string(id) + ", expected 0 to 15");
  }
  barrier.count = barrier_count(instruction, state);
  if (!barrier.count && instruction.opcode == Opcode::bar_arrive) {
    fail(instruction.position, "an arrive without a thread count");
  }
  return barrier;
}

Barrier Barriers::warp_barrier(const Instruction& instruction, const State& state) {
  Barrier barrier;
  barrier.warp = true;
  const std::uint32_t mask =
      exchanges_.member_mask(instruction, instruction.operand(Role::member_mask), state);
  barrier.id = pool_.constant(static_cast<event::Value>(mask), unit_.word());
  return barrier;
}

/// An instruction for which the lanes of a warp wait for each other, and behind which they are behind what it does.
void Barriers::warp_meets(const Instruction& instruction, State& state) {
  if ((lanes_of_warp(graph_, thread_) & ~info_.lanes) == 0) return;  // no thread beside it
  const Expr guard = registers_.event_guard(instruction, state);
  note_converged(instruction, guard, std::nullopt);
  Event arrival = new_event(EventKind::arrival, instruction, guard);
  arrival.labels.semantics = isa::Semantics::release;
  arrival.labels.scope = isa::Scope::cta;
  arrival.barrier.emplace();
  arrival.barrier->warp = true;
  arrival.barrier->id = pool_.constant(static_cast<event::Value>(kAllLanes), unit_.word());
  arrival.barrier->instance = exchanges_.kind_of(instruction);
  const EventId id = unit_.add_event(arrival);
  Event wait = std::move(arrival);
  wait.kind = EventKind::wait;
  wait.labels.semantics = isa::Semantics::acquire;
  const EventId wait_id = unit_.add_event(std::move(wait));
  graph_.events[id].barrier->wait = wait_id;
  progress_.block(instruction, state, id, wait_id);
}

/// Litmus threads of each warp of the CTA; nothing: warps differ. A thread that names no warp stands for one.
std::optional<event::Value> Barriers::threads_per_warp() const {
  std::map<int, event::Value> warps;
  std::set<event::Value> sizes;
  for (const event::ThreadInfo& thread : graph_.threads) {
    if (thread.cta != info_.cta) continue;
    if (thread.warp && thread.lanes != kAllLanes) {
      ++warps[*thread.warp];
    } else {
      sizes.insert(1);
    }
  }
  for (const auto& [warp, size] : warps) sizes.insert(size);
  return sizes.size() == 1 ? std::optional(*sizes.begin()) : std::nullopt;
}

/// The count operand, if there is one; constants in litmus threads, registers as they are (finish/barriers.cpp). A warp
/// counts as 32, also a partial one (9.7.12.1): where its lanes are litmus threads, each arrives for its share of it.
std::optional<Expr> Barriers::barrier_count(const Instruction& instruction, const State& state) {
  const Operand* count_operand = instruction.find(Role::count);
  if (count_operand == nullptr) return std::nullopt;
  const Operand& source = *count_operand;
  const bool native = !instruction.modifiers.instance_first;
  const Expr count = native ? resize(pool_, {registers_.operand(state, source, 32), false}, unit_.word())
                            : registers_.operand(state, source, unit_.word());
  const std::optional<event::Value> per_warp = threads_per_warp();
  if (!per_warp)
    unsupported(source.position, "a thread count where warps have different numbers of litmus threads");
  if (!pool_.is_constant(count)) {
    if (*per_warp != 1)
      unsupported(source.position,
                  "a thread count that is not constant, where a warp has several litmus threads");
    return count;
  }
  const event::Value value = pool_[count].constant;
  const bool written = std::holds_alternative<program::Integer>(source.value);
  const bool wrong = value <= 0 || value % kWarp != 0;  // R163
  if (native && !written && wrong) return pool_.constant(event::kNoCount, unit_.word());
  if (value <= 0) fail(source.position, "a barrier count must be positive");
  if (native && value % kWarp != 0) {
    fail(source.position,
         "barrier count " + std::to_string(value) + " is not a multiple of the warp size, 32");
  }
  return pool_.constant(native ? value / kWarp * *per_warp : value, unit_.word());
}

/// The result stands for the wait's value until all threads are known.
void Barriers::barrier_result(const Instruction& instruction, State& state, EventId arrival, EventId wait) {
  Exchange exchange = exchanges_.new_exchange(ExchangeKind::barrier, instruction, state);
  exchange.arrival = arrival;
  exchange.wait = wait;
  exchange.value = registers_.predicate_operand(state, instruction.operand(Role::predicate));
  const event::Width width = result_width(exchange);
  unit_.exchanges.push_back(std::move(exchange));
  registers_.write_register(state, instruction, instruction.operand(Role::result),
                            {pool_.value_of(wait, width), false});
}

void Barriers::cluster_barrier(const Instruction& instruction, State& state) {
  const bool wait = instruction.opcode == Opcode::cluster_wait;
  Event event = new_event(wait ? EventKind::wait : EventKind::arrival, instruction,
                          registers_.event_guard(instruction, state));
  if (rules::is_together(instruction.opcode, instruction.modifiers))
    note_converged(instruction, event.guard, std::nullopt);
  event.labels.semantics = instruction.modifiers.semantics;
  event.labels.scope = isa::Scope::cluster;
  event.barrier.emplace();
  event.barrier->cluster = true;
  event.barrier->id = pool_.constant(0, unit_.word());
  if (wait && unit_.options.liveness) return progress_.block_wait(std::move(event), state);
  unit_.add_event(std::move(event));
}

}  // namespace ptxmc::lower

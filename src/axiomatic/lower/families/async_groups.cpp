// SPDX-License-Identifier: Apache-2.0
// Completion of asynchronous copies by groups (9.7.8.24.3 to 9.7.8.24.5), and of cp.async by an arrival on an
// mbarrier (9.7.12.15.15).
//
// A wait is an event of the thread; the accesses that it waits for precede it (base relation done), so a
// later barrier or release publishes them (D9). With .read it waits for reads of sources alone (D30).
#include "axiomatic/lower/families/async_groups.h"

#include "ptx/isa/opcode.h"

namespace ptxmc::lower {

namespace {

CopyKind kind_of(const program::Instruction& instruction) {
  if (isa::traits(instruction.opcode).has(isa::Trait::of_wgmma)) return CopyKind::wgmma;
  return instruction.modifiers.bulk ? CopyKind::bulk : CopyKind::plain;
}

}  // namespace

void AsyncGroups::commit_group(const Instruction& instruction, State& state) {
  unit_.add_event(new_event(EventKind::group, instruction, registers_.event_guard(instruction, state)));
  state.copies.commit(pool_, kind_of(instruction), registers_.predicate(instruction, state));
}

void AsyncGroups::wait_group(const Instruction& instruction, State& state) {
  const Operand* count = instruction.find(Role::count);
  const bool all = count == nullptr;  // it commits what is open
  const std::uint32_t newest = all ? 0 : registers_.constant_operand(state, *count, "a group count");
  const CopyKind kind = kind_of(instruction);
  const Expr guard = registers_.event_guard(instruction, state),
             executed = registers_.predicate(instruction, state);
  if (all) state.copies.commit(pool_, kind, executed);
  for (const CopyHistory::Alternative& alternative : state.copies.alternatives()) {
    const Expr here = pool_.conjunction(guard, alternative.where);
    if (pool_.is_false(here)) continue;
    const EventId wait = unit_.add_event(new_event(EventKind::group, instruction, here));
    const auto& groups = alternative.groups[static_cast<std::size_t>(kind)].committed;
    for (std::size_t g = 0; g + newest < groups.size(); ++g) {
      for (const EventId access : groups[g]) {
        const Event& event = graph_.events[access];
        // H100 and H200 read a map later than .read waits. [reading wait-read]
        const bool map = event.labels.proxy == isa::Proxy::tensormap;
        const bool source = event.is_read() && event.rmw_partner == event::kNoEvent &&
                            (!map || unit_.options.readings.read_waits_for_maps);
        if (source || !instruction.modifiers.reads_only) graph_.completed.emplace_back(access, wait);
      }
    }
  }
  if (!instruction.modifiers.reads_only) state.copies.retire(pool_, kind, newest, executed);
}

/// cp.async.mbarrier.arrive: arrives when all cp.async of the thread before it are complete. Without .noinc
/// the arrival is one more than the object expects, by its own increment (R62, D29).
void AsyncGroups::copy_arrive(const Instruction& instruction, State& state) {
  const Operand& operand = instruction.operand(Role::mbarrier);
  for (const MbarrierPlace& place : mbarriers_.mbarrier_places(instruction, operand, state)) {
    Event issued = mbarriers_.mbarrier_event(EventKind::issue, event::MbarrierOp::signal, instruction, place);
    const event::Mbarrier object = *issued.mbarrier;
    issued.mbarrier.reset();
    issued.labels.semantics = isa::Semantics::weak;
    issued.labels.scope = isa::Scope::none;
    const EventId issue = unit_.add_event(std::move(issued));
    Event signal = new_event(EventKind::signal, instruction, place.guard);
    signal.issue = issue;
    signal.labels.semantics = isa::Semantics::release;
    signal.labels.scope = isa::Scope::cluster;
    signal.mbarrier = object;
    signal.mbarrier->count = pool_.constant(1, unit_.word());
    signal.mbarrier->increments_pending = !instruction.modifiers.no_increment;
    const EventId id = unit_.add_event(std::move(signal));
    for (const EventId access : state.copies.plain_accesses()) graph_.tracked.emplace_back(access, id);
  }
}

}  // namespace ptxmc::lower

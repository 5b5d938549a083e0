// SPDX-License-Identifier: Apache-2.0
// st.async (9.7.8.12), red.async (9.7.12.7): a write, or an atomic, off program order that completes on an
// mbarrier; with .release: one that also releases what its issuer did before, without mbarrier.
// st.bulk: an ordinary weak write of many bytes.
#include "axiomatic/lower/families/async_stores.h"

#include "axiomatic/lower/families/atomics.h"
#include "support/check.h"

namespace ptxmc::lower {

using isa::Space;

/// R128: the object is in the shared memory that the operation writes.
void AsyncStores::store_async(const Instruction& instruction, State& state) {
  const isa::Modifiers& m = instruction.modifiers;
  const Operand* mbarrier = instruction.find(Role::mbarrier);
  const std::uint32_t bytes = m.vector * (m.type->bits / 8U);
  const std::vector<Target> places =
      accesses_.targets(instruction, instruction.operand(Role::address), state);
  for (const Target& place : places) {
    const EventId issue = issue_of(instruction, place.guard);
    const Words words =
        words_.stored_words(instruction, state, instruction.operand(Role::value), place.scalars.front());
    std::vector<EventId> writes;
    for (std::size_t i = 0; i < place.scalars.size(); ++i) {
      const Access& scalar = place.scalars[i];
      Event write = accesses_.access_event(EventKind::write, instruction, place.guard, scalar);
      write.issue = issue;
      if (unit_.options.readings.async_stores_use_async_proxy) write.labels.proxy = isa::Proxy::async;
      const auto from = words.begin() + static_cast<std::ptrdiff_t>(i * scalar.words);
      writes.push_back(accesses_.add_write(std::move(write), scalar,
                                           Words(from, from + static_cast<std::ptrdiff_t>(scalar.words))));
    }
    if (mbarrier != nullptr)
      completions_.complete(instruction, state, issue, *mbarrier, bytes, std::nullopt, writes, place.guard);
  }
}

/// What precedes a release is released with the write.
EventId AsyncStores::issue_of(const Instruction& instruction, Expr guard) {
  const EventId issue = completions_.issue_event(instruction, guard);
  const isa::Modifiers& m = instruction.modifiers;
  if (m.semantics == isa::Semantics::release) {
    graph_.events[issue].labels.semantics = m.semantics;
    graph_.events[issue].labels.scope = m.scope;
  }
  return issue;
}

void AsyncStores::reduce_async(const Instruction& instruction, State& state) {
  const std::uint32_t bytes = instruction.modifiers.type->bits / 8U;
  for (const Target& place : accesses_.targets(instruction, instruction.operand(Role::address), state)) {
    const Access& scalar = place.scalars.front();
    const EventId issue = issue_of(instruction, place.guard);
    Event half = accesses_.access_event(EventKind::read, instruction, place.guard, scalar);
    half.issue = issue;
    half.labels.atomic = true;
    half.labels.no_return = true;
    if (unit_.options.readings.async_stores_use_async_proxy) half.labels.proxy = isa::Proxy::async;
    Event write = half;
    write.kind = EventKind::write;
    EventId id = event::kNoEvent;
    const Words old = accesses_.add_read(std::move(half), scalar, id);
    const Words value = words_.stored_words(instruction, state, instruction.operand(Role::value), scalar);
    write.rmw_partner = id;
    graph_.events[id].rmw_partner = accesses_.add_write(
        std::move(write), scalar, {combine(pool_, instruction, scalar, old.front(), value.front())});
    if (const Operand* mbarrier = instruction.find(Role::mbarrier))
      completions_.complete(instruction, state, issue, *mbarrier, bytes, std::nullopt, {id, id + 1},
                            place.guard);
  }
}

/// st.bulk [a], size, 0: fills shared memory of the thread's own CTA.
void AsyncStores::store_bulk(const Instruction& instruction, State& state) {
  const Operand& target = instruction.operand(Role::address);
  const std::uint32_t bytes = registers_.constant_operand(state, instruction.operand(Role::bytes), "a size");
  if (bytes % 8 != 0) {
    fail(instruction.operand(Role::bytes).position,
         "size " + std::to_string(bytes) + ", expected a multiple of 8 bytes");
  }
  if (registers_.constant_operand(state, instruction.operand(Role::value), "an initial value") != 0)
    fail(instruction.operand(Role::value).position, "`st.bulk` stores zero only");
  const Expr guard = registers_.event_guard(instruction, state);
  if (bytes == 0) return;
  const Tile to = tiles_.tile(instruction, target, addresses_.tile_location(target, state),
                              {Space::shared_cta, bytes, 8, true, false});
  Words words;
  for (const Width width : to.widths) words.push_back(pool_.constant(0, width));
  tiles_.write(instruction, to, event::kNoEvent, guard, words);
}

}  // namespace ptxmc::lower

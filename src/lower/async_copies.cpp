// SPDX-License-Identifier: Apache-2.0
// Asynchronous copies: cp.async (9.7.8.24.2, generic proxy), cp.async.bulk and cp.reduce.async.bulk
// (9.7.8.24.6, 9.7.8.24.7, async proxy), and the prefetch, which accesses nothing.
//
// A copy reads its source and writes its destination, one event each; a multicast writes one destination in
// each CTA and signals an mbarrier there. A reduction reads its source, and each element of the destination
// is an atomic of its own (.relaxed.gpu).
#include "lower/matrix_values.h"
#include "lower/thread.h"
#include "support/check.h"

namespace ptxmc::lower {

using event::Event;
using event::EventId;
using event::EventKind;
using event::Expr;
using event::Op;
using isa::Space;

namespace {

constexpr std::uint32_t kBulkAlignment = 16;  // bytes

}  // namespace

/// cp.async: the bytes beyond src-size, or all of them where ignore-src holds, are zero.
void ThreadLowering::copy_plain(const Instruction& instruction, State& state) {
  auto& pool = unit_.pool();
  const isa::Modifiers& m = instruction.modifiers;
  const std::uint32_t bytes = constant_operand(state, instruction.operand(Role::bytes), "a size");
  const bool good = m.cache_global ? bytes == 16 : bytes == 4 || bytes == 8 || bytes == 16;
  if (!good) {
    fail(instruction.operand(Role::bytes).position,
         "size " + std::to_string(bytes) + ", expected " + (m.cache_global ? "16" : "4, 8 or 16"));
  }
  std::uint32_t copied = bytes;
  Expr ignored = pool.truth(false);
  if (const Operand* source = instruction.find(Role::source_bytes)) {
    const auto* r = std::get_if<program::Register>(&source->value);
    if (r && pool[read_register(state, r->name).expr].width == 1) {
      ignored = predicate_operand(state, *source);
    } else {
      copied = constant_operand(state, *source, "a source size");
      if (copied > bytes) {
        fail(source->position,
             "source size " + std::to_string(copied) + " is larger than the size " + std::to_string(bytes));
      }
    }
  }
  const Expr guard = event_guard(instruction, state);
  unit_.decide(thread_, ignored, guard);
  const Tile to =
      tile(instruction, instruction.operand(Role::address),
           tile_location(instruction.operand(Role::address), state), {m.space, bytes, bytes, true, false});
  const EventId issue = issue_event(instruction, guard);
  Words words;
  if (copied > 0 && !pool.is_true(ignored)) {
    const Operand& source = instruction.operand(Role::source_address);
    const Tile from = tile(instruction, source, tile_location(source, state),
                           {m.source_space, copied, bytes, false, false});
    link_tiles(instruction, from, to, copied);
    const Expr reads = pool.conjunction(guard, pool.negation(ignored));
    const EventId read =
        add_tile_read(tile_event(EventKind::read, instruction, from, issue, reads), from, words);
    state.copies.add(CopyKind::plain, read);
  }
  for (std::size_t k = 0; k < to.cells.size(); ++k) {
    const Expr zero = pool.constant(0, to.widths[k]);
    if (k >= words.size()) words.push_back(zero);
    words[k] = pool.make(Op::ite, to.widths[k], ignored, zero, resize(pool, {words[k], false}, to.widths[k]));
  }
  state.copies.add(CopyKind::plain,
                   add_tile_write(tile_event(EventKind::write, instruction, to, issue, guard), to, words));
}

/// R146: from .shared::cta to .shared::cluster is to another CTA.
void ThreadLowering::check_other_cta(const Instruction& instruction, const Location& place, Expr guard) {
  const isa::Modifiers& m = instruction.modifiers;
  if (m.source_space != Space::shared_cta || m.space != Space::shared_cluster) return;
  if (place.cta.value_or(info_.cta) != info_.cta) return;
  unit_.graph.misuses.push_back({"bulk-copy-to-own-cta", guard, instruction.position, instruction.text});
}

/// cp.async.bulk: to shared memory it completes on an mbarrier, to global memory by bulk groups.
void ThreadLowering::copy_bulk(const Instruction& instruction, State& state) {
  const isa::Modifiers& m = instruction.modifiers;
  const Operand& target = instruction.operand(Role::address);
  const Operand& source = instruction.operand(Role::source_address);
  const std::uint32_t bytes = bulk_size(state, instruction.operand(Role::bytes));
  const Expr guard = event_guard(instruction, state);
  const Tile from = tile(instruction, source, tile_location(source, state),
                         {m.source_space, bytes, kBulkAlignment, false, false});
  Location place = tile_location(target, state);
  check_other_cta(instruction, place, guard);
  const EventId issue = issue_event(instruction, guard);
  Words words;
  const EventId read =
      add_tile_read(tile_event(EventKind::read, instruction, from, issue, guard), from, words);
  for (const std::uint32_t cta : destinations(instruction, state, place)) {
    if (m.multicast) place.cta = cta;
    const Tile to = tile(instruction, target, place, {m.space, bytes, kBulkAlignment, true, false});
    link_tiles(instruction, from, to, bytes);
    words.resize(to.cells.size(), unit_.pool().constant(0, unit_.word()));  // the survey has no values
    const EventId write =
        add_tile_write(tile_event(EventKind::write, instruction, to, issue, guard), to, words);
    if (m.space == Space::global) {
      state.copies.add(CopyKind::bulk, read);
      state.copies.add(CopyKind::bulk, write);
    } else {
      const auto at = m.multicast ? std::optional<std::uint32_t>(cta) : std::nullopt;
      complete(instruction, state, issue, instruction.operand(Role::mbarrier), bytes, at, {read, write});
    }
  }
}

/// The atomics of a reduction on the elements of a tile; `words`: their operands. Returns their events.
std::vector<EventId> ThreadLowering::reduce_tile(const Instruction& instruction, const Tile& to,
                                                 EventId issue, Expr guard, const Words& words) {
  std::vector<EventId> events;
  const isa::Modifiers& m = instruction.modifiers;
  const std::uint32_t element = m.type->bits / 8U;
  for (std::uint32_t at = 0; at < to.range.bytes; at += element) {
    Access access;
    access.name = to.name;
    access.is_signed = m.type->is_signed();
    access.width = width_of(element * 8, unit_.options.unbounded);
    for (std::size_t k = 0; k < to.cells.size(); ++k) {
      const std::int64_t end = k + 1 < to.cells.size() ? to.begins[k + 1] : to.range.bytes;
      if (to.begins[k] < at || end > at + element) continue;
      access.cells.push_back(to.cells[k]);
      access.bytes.push_back(static_cast<std::uint32_t>(end - to.begins[k]));
    }
    PTXMC_CHECK(!access.cells.empty(), "an element without cells");
    Event half = access_event(EventKind::read, instruction, guard, access);
    half.issue = issue;
    half.labels.atomic = true;
    half.labels.no_return = true;  // 8.4, R29: a reduction never acquires
    Event write = half;
    write.kind = EventKind::write;
    EventId id = event::kNoEvent;
    const Words old = add_read(std::move(half), access, id);
    write.rmw_partner = id;
    const Expr value = combine(instruction, access, old.front(), words.at(at / element));
    unit_.graph.events[id].rmw_partner = add_write(std::move(write), access, {value});
    events.push_back(id);
    events.push_back(id + 1);
  }
  return events;
}

/// The elements of a tile, in one cell each, or several where something accesses a part of one.
ThreadLowering::Words ThreadLowering::element_words(const Instruction& instruction, const Tile& tile,
                                                    const Words& cells) {
  auto& pool = unit_.pool();
  const std::int64_t element = instruction.modifiers.type->bits / 8;
  const Width width = width_of(instruction.modifiers.type->bits, unit_.options.unbounded);
  Words words;
  for (std::size_t k = 0; k < tile.cells.size(); ++k) {
    const Expr value = resize(pool, {cells[k], false}, width);
    const std::int64_t inside = tile.begins[k] % element;
    if (inside == 0) {
      words.push_back(value);
    } else {
      words.back() = pool.make(Op::or_, width, words.back(),
                               pool.make(Op::shl, width, value, pool.constant(inside * 8, width)));
    }
  }
  return words;
}

void ThreadLowering::reduce_bulk(const Instruction& instruction, State& state) {
  const isa::Modifiers& m = instruction.modifiers;
  const Operand& target = instruction.operand(Role::address);
  const Operand& source = instruction.operand(Role::source_address);
  const std::uint32_t bytes = bulk_size(state, instruction.operand(Role::bytes));
  const Expr guard = event_guard(instruction, state);
  const Tile from = tile(instruction, source, tile_location(source, state),
                         {m.source_space, bytes, kBulkAlignment, false, true});
  const Location place = tile_location(target, state);
  check_other_cta(instruction, place, guard);
  const Tile to = tile(instruction, target, place, {m.space, bytes, kBulkAlignment, true, true});
  link_tiles(instruction, from, to, 0);
  const EventId issue = issue_event(instruction, guard);
  Words cells;
  const EventId read =
      add_tile_read(tile_event(EventKind::read, instruction, from, issue, guard), from, cells);
  std::vector<EventId> events =
      reduce_tile(instruction, to, issue, guard, element_words(instruction, from, cells));
  events.insert(events.begin(), read);
  if (m.space == Space::global) {
    for (const EventId e : events) state.copies.add(CopyKind::bulk, e);
  } else {
    complete(instruction, state, issue, instruction.operand(Role::mbarrier), bytes, std::nullopt, events);
  }
}

/// clusterlaunchcontrol.try_cancel.async: an opaque response of 16 bytes, written through the async proxy.
void ThreadLowering::cancel_launch(const Instruction& written, State& state) {
  Instruction instruction = written;
  isa::Modifiers& m = instruction.modifiers;
  if (m.multicast) m.space = Space::shared_cluster;  // its addresses are offsets in each CTA of the cluster
  const Operand& target = instruction.operand(Role::address);
  const Expr guard = event_guard(instruction, state);
  Location place = tile_location(target, state);
  const EventId issue = issue_event(instruction, guard);
  auto& pool = unit_.pool();
  for (const std::uint32_t cta : destinations(instruction, state, place)) {
    if (m.multicast) place.cta = cta;
    const Tile to = tile(instruction, target, place, {m.space, kBulkAlignment, kBulkAlignment, true, false});
    Words words;
    for (std::size_t k = 0; k < to.cells.size(); ++k) {
      const Expr part =
          uninterpreted(pool, "response", {pool.constant(issue, 64), pool.constant(to.begins[k], 64)});
      words.push_back(resize(pool, {upper_half(pool, part), false}, to.widths[k]));
    }
    const EventId write =
        add_tile_write(tile_event(EventKind::write, instruction, to, issue, guard), to, words);
    const auto at = m.multicast ? std::optional<std::uint32_t>(cta) : std::nullopt;
    complete(instruction, state, issue, instruction.operand(Role::mbarrier), kBulkAlignment, at, {write});
  }
}

/// A hint: no memory is accessed (9.7.8.24.8). Its operands are checked as those of a copy.
void ThreadLowering::prefetch_bulk(const Instruction& instruction, State& state) {
  const Operand& source = instruction.operand(Role::source_address);
  const Location location = tile_location(source, state);
  bulk_size(state, instruction.operand(Role::bytes));
  Instruction access;
  access.modifiers.space = Space::global;
  access.opcode = isa::Opcode::ld;
  check_space(access, location, source.position);
}

}  // namespace ptxmc::lower

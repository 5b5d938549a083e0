// SPDX-License-Identifier: Apache-2.0
// Asynchronous copies: cp.async (9.7.8.24.2, generic proxy), cp.async.bulk and cp.reduce.async.bulk
// (9.7.8.24.6, 9.7.8.24.7, async proxy), and the prefetch, which accesses nothing.
//
// A copy reads its source and writes its destination, one event each; a multicast writes one destination in
// each CTA and signals an mbarrier there. A reduction reads its source, and each element of the destination
// is an atomic of its own (.relaxed.gpu).
#include "lower/families/async_copies.h"

#include "lower/unit/matrix_values.h"
#include "support/check.h"

namespace ptxmc::lower {

using event::Op;
using isa::Space;

namespace {

constexpr std::uint32_t kBulkAlignment = 16;  // bytes: of addresses and sizes

}  // namespace

/// cp.async: the bytes beyond src-size, or all of them where ignore-src holds, are zero.
void AsyncCopies::copy_plain(const Instruction& instruction, State& state) {
  const isa::Modifiers& m = instruction.modifiers;
  const std::uint32_t bytes = registers_.constant_operand(state, instruction.operand(Role::bytes), "a size");
  const bool good = m.cache_global ? bytes == 16 : bytes == 4 || bytes == 8 || bytes == 16;
  if (!good) {
    fail(instruction.operand(Role::bytes).position,
         "size " + std::to_string(bytes) + ", expected " + (m.cache_global ? "16" : "4, 8 or 16"));
  }
  std::uint32_t copied = bytes;
  Expr ignored = pool_.truth(false);
  if (const Operand* source = instruction.find(Role::source_bytes)) {
    const auto* r = std::get_if<program::Register>(&source->value);
    const bool truth = std::holds_alternative<program::NegatedRegister>(source->value);
    if (truth || (r && pool_[registers_.read_register(state, r->name).expr].width == 1)) {
      ignored = registers_.predicate_operand(state, *source);
    } else {
      copied = registers_.constant_operand(state, *source, "a source size");
      if (copied > bytes) {
        fail(source->position,
             "source size " + std::to_string(copied) + " is larger than the size " + std::to_string(bytes));
      }
    }
  }
  const Expr guard = registers_.event_guard(instruction, state);
  unit_.decide(thread_, ignored, guard);
  const Tile to = tiles_.tile(instruction, instruction.operand(Role::address),
                              addresses_.tile_location(instruction.operand(Role::address), state),
                              {m.space, bytes, bytes, true, false});
  const EventId issue = completions_.issue_event(instruction, guard);
  Words words;
  if (copied > 0 && !pool_.is_true(ignored)) {
    const Operand& source = instruction.operand(Role::source_address);
    const Tile from = tiles_.tile(instruction, source, addresses_.tile_location(source, state),
                                  {m.source_space, copied, bytes, false, false});
    tiles_.link_tiles(instruction, from, to, copied);
    const Expr reads = pool_.conjunction(guard, pool_.negation(ignored));
    const EventId read = tiles_.add_tile_read(
        tiles_.tile_event(EventKind::read, instruction, from, issue, reads), from, words);
    state.copies.add(CopyKind::plain, read);
  }
  for (std::size_t k = 0; k < to.cells.size(); ++k) {
    const Expr zero = pool_.constant(0, to.widths[k]);
    if (k >= words.size()) words.push_back(zero);
    words[k] =
        pool_.make(Op::ite, to.widths[k], ignored, zero, resize(pool_, {words[k], false}, to.widths[k]));
  }
  state.copies.add(
      CopyKind::plain,
      tiles_.add_tile_write(tiles_.tile_event(EventKind::write, instruction, to, issue, guard), to, words));
}

/// R146: from .shared::cta to .shared::cluster is to another CTA.
void AsyncCopies::check_other_cta(const Instruction& instruction, const Location& place, Expr guard) {
  const isa::Modifiers& m = instruction.modifiers;
  if (m.source_space != Space::shared_cta || m.space != Space::shared_cluster) return;
  if (place.cta.value_or(info_.cta) != info_.cta) return;
  misuse("bulk-copy-to-own-cta", guard, instruction);
}

/// cp.async.bulk: to shared memory it completes on an mbarrier, to global memory by bulk groups.
void AsyncCopies::copy_bulk(const Instruction& instruction, State& state) {
  const isa::Modifiers& m = instruction.modifiers;
  const Operand& target = instruction.operand(Role::address);
  const Operand& source = instruction.operand(Role::source_address);
  const std::uint32_t bytes = bulk_size(state, instruction.operand(Role::bytes));
  const Expr guard = registers_.event_guard(instruction, state);
  const Tile from = tiles_.tile(instruction, source, addresses_.tile_location(source, state),
                                {m.source_space, bytes, kBulkAlignment, false, false});
  Location place = addresses_.tile_location(target, state);
  check_other_cta(instruction, place, guard);
  const EventId issue = completions_.issue_event(instruction, guard);
  Words words;
  const EventId read =
      tiles_.add_tile_read(tiles_.tile_event(EventKind::read, instruction, from, issue, guard), from, words);
  for (const std::uint32_t cta : completions_.destinations(instruction, state, place)) {
    if (m.multicast) place.cta = cta;
    const Tile to = tiles_.tile(instruction, target, place, {m.space, bytes, kBulkAlignment, true, false});
    tiles_.link_tiles(instruction, from, to, bytes);
    words.resize(to.cells.size(), pool_.constant(0, unit_.word()));  // the survey has no values
    const EventId write =
        tiles_.add_tile_write(tiles_.tile_event(EventKind::write, instruction, to, issue, guard), to, words);
    if (m.space == Space::global) {
      state.copies.add(CopyKind::bulk, read);
      state.copies.add(CopyKind::bulk, write);
    } else {
      const auto at = m.multicast ? std::optional<std::uint32_t>(cta) : std::nullopt;
      completions_.complete(instruction, state, issue, instruction.operand(Role::mbarrier), bytes, at,
                            {read, write});
    }
  }
}

void AsyncCopies::reduce_bulk(const Instruction& instruction, State& state) {
  const isa::Modifiers& m = instruction.modifiers;
  const Operand& target = instruction.operand(Role::address);
  const Operand& source = instruction.operand(Role::source_address);
  const std::uint32_t bytes = bulk_size(state, instruction.operand(Role::bytes));
  const Expr guard = registers_.event_guard(instruction, state);
  const Tile from = tiles_.tile(instruction, source, addresses_.tile_location(source, state),
                                {m.source_space, bytes, kBulkAlignment, false, true});
  const Location place = addresses_.tile_location(target, state);
  check_other_cta(instruction, place, guard);
  const Tile to = tiles_.tile(instruction, target, place, {m.space, bytes, kBulkAlignment, true, true});
  tiles_.link_tiles(instruction, from, to, 0);
  const EventId issue = completions_.issue_event(instruction, guard);
  Words cells;
  const EventId read =
      tiles_.add_tile_read(tiles_.tile_event(EventKind::read, instruction, from, issue, guard), from, cells);
  std::vector<EventId> events = reductions_.reduce_tile(instruction, to, issue, guard,
                                                        reductions_.element_words(instruction, from, cells));
  events.insert(events.begin(), read);
  if (m.space == Space::global) {
    for (const EventId e : events) state.copies.add(CopyKind::bulk, e);
  } else {
    completions_.complete(instruction, state, issue, instruction.operand(Role::mbarrier), bytes, std::nullopt,
                          events);
  }
}

/// clusterlaunchcontrol.try_cancel.async: an opaque response of 16 bytes, written through the async proxy.
void AsyncCopies::cancel_launch(const Instruction& written, State& state) {
  Instruction instruction = written;
  isa::Modifiers& m = instruction.modifiers;
  if (m.multicast) m.space = Space::shared_cluster;  // its addresses are offsets in each CTA of the cluster
  const Operand& target = instruction.operand(Role::address);
  const Expr guard = registers_.event_guard(instruction, state);
  Location place = addresses_.tile_location(target, state);
  const EventId issue = completions_.issue_event(instruction, guard);
  for (const std::uint32_t cta : completions_.destinations(instruction, state, place)) {
    if (m.multicast) place.cta = cta;
    const Tile to =
        tiles_.tile(instruction, target, place, {m.space, kBulkAlignment, kBulkAlignment, true, false});
    Words words;
    for (std::size_t k = 0; k < to.cells.size(); ++k) {
      const Expr part =
          uninterpreted(pool_, "response", {pool_.constant(issue, 64), pool_.constant(to.begins[k], 64)});
      words.push_back(resize(pool_, {upper_half(pool_, part), false}, to.widths[k]));
    }
    const EventId write =
        tiles_.add_tile_write(tiles_.tile_event(EventKind::write, instruction, to, issue, guard), to, words);
    const auto at = m.multicast ? std::optional<std::uint32_t>(cta) : std::nullopt;
    completions_.complete(instruction, state, issue, instruction.operand(Role::mbarrier), kBulkAlignment, at,
                          {write});
  }
}

/// A hint: no memory is accessed (9.7.8.24.8). Its operands are checked as those of a copy.
void AsyncCopies::prefetch_bulk(const Instruction& instruction, State& state) {
  const Operand& source = instruction.operand(Role::source_address);
  const Location location = addresses_.tile_location(source, state);
  bulk_size(state, instruction.operand(Role::bytes));
  Instruction access;
  access.modifiers.space = Space::global;
  access.opcode = isa::Opcode::ld;
  addresses_.check_space(access, location, source.position);
}

/// 9.7.8.24.6: a multiple of 16 bytes.
std::uint32_t AsyncCopies::bulk_size(const State& state, const Operand& source) {
  const std::uint32_t bytes = registers_.constant_operand(state, source, "a size");
  if (bytes == 0 || bytes % kBulkAlignment != 0) {
    fail(source.position, "size " + std::to_string(bytes) + ", expected a multiple of 16 bytes");
  }
  return bytes;
}

}  // namespace ptxmc::lower

// SPDX-License-Identifier: Apache-2.0
// Asynchronous copies: cp.async (9.7.8.24.3, generic proxy), cp.async.bulk and cp.reduce.async.bulk
// (9.7.8.24.6, 9.7.8.24.7, async proxy), and the prefetch, which accesses nothing.
//
// A copy reads its source and writes its destination, one event each, or if it is strong one each for 16 bytes; a multicast
// writes one destination in each CTA and signals an mbarrier there. A reduction reads its source, and each element of the
// destination is an atomic of its own.
#include "axiomatic/lower/families/async_copies.h"

#include <algorithm>

#include "axiomatic/lower/unit/matrix_values.h"
#include "finding/rules.h"
#include "ptx/rules/limits.h"
#include "support/check.h"

namespace ptxmc::lower {

using event::Op;
using isa::Space;

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
    const EventId read = tiles_.read(instruction, from, issue, reads, words);
    state.copies.add(CopyKind::plain, read);
  }
  for (std::size_t k = 0; k < to.cells.size(); ++k) {
    const Expr zero = pool_.constant(0, to.widths[k]);
    if (k >= words.size()) words.push_back(zero);
    words[k] =
        pool_.make(Op::ite, to.widths[k], ignored, zero, resize(pool_, {words[k], false}, to.widths[k]));
  }
  state.copies.add(CopyKind::plain, tiles_.write(instruction, to, issue, guard, words));
}

/// R146: from .shared::cta to .shared::cluster is to another CTA.
void AsyncCopies::check_other_cta(const Instruction& instruction, const Location& place, Expr guard) {
  const isa::Modifiers& m = instruction.modifiers;
  if (m.source_space != Space::shared_cta || m.space != Space::shared_cluster) return;
  if (place.cta.value_or(info_.cta) != info_.cta) return;
  misuse(finding::RuleId::bulk_copy_to_own_cta, guard, instruction);
}

/// What a copy and a reduction begin with. `elements`: the source is divided into elements of the instruction's type.
AsyncCopies::Bulk AsyncCopies::begin_bulk(const Instruction& instruction, State& state, bool elements) {
  const Operand& source = instruction.operand(Role::source_address);
  const std::uint32_t bytes = bulk_size(state, instruction.operand(Role::bytes));
  const Expr guard = registers_.event_guard(instruction, state);
  const std::uint32_t left = ignored(instruction, state, Role::ignore_left),
                      right = ignored(instruction, state, Role::ignore_right);
  Location begin = addresses_.tile_location(source, state);
  if (instruction.modifiers.ignore_oob && begin.offset % rules::kBulkAlignment != 0)
    fail(source.position, "offset " + std::to_string(begin.offset) + " is no multiple of 16 bytes");
  begin.offset += left;
  Tile from = tiles_.tile(instruction, source, begin,
                          {instruction.modifiers.source_space, bytes - left - right,
                           instruction.modifiers.ignore_oob ? 1 : rules::kBulkAlignment, false, elements});
  const Location place = addresses_.tile_location(instruction.operand(Role::address), state);
  check_other_cta(instruction, place, guard);
  const EventId issue = completions_.issue_event(instruction, guard);
  Words words;
  std::vector<EventId> reads;
  for (const Tile& access : tiles_.accesses(instruction, from)) {
    Words read;
    reads.push_back(tiles_.read(instruction, access, issue, guard, read));
    words.insert(words.end(), read.begin(), read.end());
  }
  return {bytes, guard, std::move(from), place, issue, std::move(reads), std::move(words), left};
}

/// The writes of a copy to one destination; `words`: what goes to its cells.
std::vector<EventId> AsyncCopies::write_tile(const Instruction& instruction, const Bulk& bulk,
                                             const Tile& to) {
  std::vector<EventId> writes;
  auto word = bulk.words.begin();
  for (const Tile& access : tiles_.accesses(instruction, to)) {
    const auto end = word + static_cast<std::ptrdiff_t>(access.cells.size());
    writes.push_back(tiles_.write(instruction, access, bulk.issue, bulk.guard, Words(word, end)));
    word = end;
  }
  return writes;
}

/// .ignore_oob: bytes of an end that may be outside of memory, and count for nothing; 15 at most.
std::uint32_t AsyncCopies::ignored(const Instruction& instruction, const State& state, Role role) {
  const Operand* operand = instruction.find(role);
  if (operand == nullptr) return 0;
  const std::uint32_t bytes = registers_.constant_operand(state, *operand, "a number of bytes to ignore");
  if (bytes >= rules::kBulkAlignment)
    fail(operand->position, std::to_string(bytes) + " bytes to ignore, expected 0 to 15");
  if (2 * bytes >= rules::kBulkAlignment &&
      bulk_size(state, instruction.operand(Role::bytes)) == rules::kBulkAlignment &&
      role == Role::ignore_right) {
    const std::uint32_t left = ignored(instruction, state, Role::ignore_left);
    if (left + bytes >= rules::kBulkAlignment)
      fail(operand->position, std::to_string(left + bytes) + " bytes to ignore of 16: nothing is copied");
  }
  return bytes;
}

/// .ignore_oob: all of the destination is written; the values of the bytes beside what is copied are not
/// known.
Tile AsyncCopies::cut_tile(const Instruction& instruction, const Bulk& bulk) {
  const Operand& target = instruction.operand(Role::address);
  if (bulk.place.offset % rules::kBulkAlignment != 0)
    fail(target.position, "offset " + std::to_string(bulk.place.offset) + " is no multiple of 16 bytes");
  const std::uint32_t copied = bulk.from.range.bytes, end = bulk.left + copied;
  Tile whole{bulk.place.variable, addresses_.block(bulk.place), {bulk.place.offset, bulk.bytes}, {}, {}, {}};
  const auto add = [&](std::uint32_t begin, std::uint32_t bytes) {
    if (bytes == 0) return;
    Location place = bulk.place;
    place.offset += begin;
    const Tile part =
        tiles_.tile(instruction, target, place, {instruction.modifiers.space, bytes, 1, true, false});
    whole.cells.insert(whole.cells.end(), part.cells.begin(), part.cells.end());
    whole.widths.insert(whole.widths.end(), part.widths.begin(), part.widths.end());
    for (const std::int64_t at : part.begins) whole.begins.push_back(at + begin);
  };
  add(0, bulk.left);
  add(bulk.left, copied);
  add(end, bulk.bytes - end);
  layout_.note_tile(bulk.from.block, bulk.from.range);
  layout_.note_copy(bulk.from.block, bulk.from.range.begin, whole.block, bulk.place.offset + bulk.left,
                    copied);
  return whole;
}

Words AsyncCopies::cut_words(const Bulk& bulk, const Tile& to) {
  Words out;
  for (std::size_t k = 0; k < to.begins.size(); ++k) {
    const auto source = std::find(bulk.from.begins.begin(), bulk.from.begins.end(), to.begins[k] - bulk.left);
    if (source != bulk.from.begins.end() && layout_.frozen()) {
      out.push_back(bulk.words[static_cast<std::size_t>(source - bulk.from.begins.begin())]);
      continue;
    }
    const Expr left =
        uninterpreted(pool_, "ignored", {pool_.constant(bulk.issue, 64), pool_.constant(to.begins[k], 64)});
    out.push_back(resize(pool_, {left, false}, to.widths[k]));
  }
  return out;
}

/// 9.7.8.24.6, .cp_mask: of each 16 bytes those are written whose bit is set; all of the source is read.
Tile AsyncCopies::masked_tile(const Instruction& instruction, const State& state, const Bulk& bulk) {
  const Operand& target = instruction.operand(Role::address);
  const std::uint32_t mask =
      registers_.constant_operand(state, instruction.operand(Role::byte_mask), "a mask of bytes");
  if (bulk.place.offset % rules::kBulkAlignment != 0)
    fail(target.position, "offset " + std::to_string(bulk.place.offset) + " of " +
                              layout_.variable(bulk.place.variable).name + " is no multiple of 16 bytes");
  const bool strong = is_strong_copy(instruction);
  const auto chosen = [&](std::uint32_t byte) { return (mask >> byte % rules::kBulkAlignment & 1U) != 0; };
  Tile whole{bulk.place.variable, addresses_.block(bulk.place), {bulk.place.offset, bulk.bytes}, {}, {}, {}};
  for (std::uint32_t begin = 0, end = 0; begin < bulk.bytes; begin = end) {
    const auto parts = [&](std::uint32_t byte) { return strong && byte % rules::kBulkAlignment == 0; };
    for (end = begin + 1; end < bulk.bytes && chosen(end) == chosen(begin) && !parts(end);) ++end;
    if (!chosen(begin)) continue;
    Location place = bulk.place;
    place.offset += begin;
    const Tile part =
        tiles_.tile(instruction, target, place, {instruction.modifiers.space, end - begin, 1, true, false});
    if (strong) tiles_.note_access(whole.block, {place.offset, end - begin});
    layout_.note_tile(bulk.from.block, {bulk.from.range.begin + begin, end - begin});
    layout_.note_copy(bulk.from.block, bulk.from.range.begin + begin, whole.block, place.offset, end - begin);
    whole.cells.insert(whole.cells.end(), part.cells.begin(), part.cells.end());
    whole.widths.insert(whole.widths.end(), part.widths.begin(), part.widths.end());
    for (const std::int64_t at : part.begins) whole.begins.push_back(at + begin);
  }
  return whole;
}

/// What is written to a part of the destination: the words at the same places of the source.
Words AsyncCopies::masked_words(const Bulk& bulk, const Tile& to) {
  Words out;
  for (const std::int64_t begin : to.begins) {
    const auto source = std::find(bulk.from.begins.begin(), bulk.from.begins.end(), begin);
    const bool found = source != bulk.from.begins.end();
    PTXMC_CHECK(found || !layout_.frozen(), "a masked copy that the survey did not find");
    if (!found) return out;
    out.push_back(bulk.words[static_cast<std::size_t>(source - bulk.from.begins.begin())]);
  }
  return out;
}

/// cp.async.bulk: to shared memory it completes on an mbarrier, to global memory by bulk groups.
void AsyncCopies::copy_bulk(const Instruction& instruction, State& state) {
  const isa::Modifiers& m = instruction.modifiers;
  if (bulk_size(state, instruction.operand(Role::bytes)) == 0) return;
  const bool strong = is_strong_copy(instruction);
  Bulk bulk = begin_bulk(instruction, state, strong);
  for (const std::uint32_t cta : completions_.destinations(instruction, state, bulk.place)) {
    if (m.multicast) bulk.place.cta = cta;
    const Tile to = m.byte_mask    ? masked_tile(instruction, state, bulk)
                    : m.ignore_oob ? cut_tile(instruction, bulk)
                                   : tiles_.tile(instruction, instruction.operand(Role::address), bulk.place,
                                                 {m.space, bulk.bytes, rules::kBulkAlignment, true, strong});
    if (to.cells.empty()) {  // no byte is chosen
      for (const EventId read : bulk.reads) state.copies.add(CopyKind::bulk, read);
      continue;
    }
    if (!m.byte_mask && !m.ignore_oob) tiles_.link_tiles(instruction, bulk.from, to, bulk.bytes);
    if (m.byte_mask) bulk.words = masked_words(bulk, to);
    if (m.ignore_oob) bulk.words = cut_words(bulk, to);
    bulk.words.resize(to.cells.size(), pool_.constant(0, unit_.word()));  // the survey has no values
    std::vector<EventId> events = bulk.reads;
    for (const EventId write : write_tile(instruction, bulk, to)) events.push_back(write);
    if (m.space == Space::global) {
      for (const EventId e : events) state.copies.add(CopyKind::bulk, e);
    } else {
      const auto at = m.multicast ? std::optional<std::uint32_t>(cta) : std::nullopt;
      completions_.complete(instruction, state, bulk.issue, instruction.operand(Role::mbarrier), bulk.bytes,
                            at, events);
    }
  }
}

void AsyncCopies::reduce_bulk(const Instruction& written, State& state) {
  Instruction instruction = written;
  const isa::Modifiers& m = instruction.modifiers;
  const bool of_sys = unit_.options.readings.reductions_of_sys;
  if (m.scope == isa::Scope::none)
    instruction.modifiers.scope = of_sys ? isa::Scope::sys : isa::Scope::gpu;  // R149
  if (bulk_size(state, instruction.operand(Role::bytes)) == 0) return;
  const Bulk bulk = begin_bulk(instruction, state, true);
  const Tile to = tiles_.tile(instruction, instruction.operand(Role::address), bulk.place,
                              {m.space, bulk.bytes, rules::kBulkAlignment, true, true});
  tiles_.link_tiles(instruction, bulk.from, to, 0);
  std::vector<EventId> events = reductions_.reduce_tile(
      instruction, to, bulk.issue, bulk.guard, reductions_.element_words(instruction, bulk.from, bulk.words));
  events.insert(events.begin(), bulk.reads.begin(), bulk.reads.end());
  if (m.space == Space::global) {
    for (const EventId e : events) state.copies.add(CopyKind::bulk, e);
  } else {
    completions_.complete(instruction, state, bulk.issue, instruction.operand(Role::mbarrier), bulk.bytes,
                          std::nullopt, events);
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
    const Tile to = tiles_.tile(instruction, target, place,
                                {m.space, rules::kBulkAlignment, rules::kBulkAlignment, true, false});
    Words words;
    for (std::size_t k = 0; k < to.cells.size(); ++k) {
      const Expr part =
          uninterpreted(pool_, "response", {pool_.constant(issue, 64), pool_.constant(to.begins[k], 64)});
      words.push_back(resize(pool_, {upper_half(pool_, part), false}, to.widths[k]));
    }
    const EventId write = tiles_.write(instruction, to, issue, guard, words);
    const auto at = m.multicast ? std::optional<std::uint32_t>(cta) : std::nullopt;
    completions_.complete(instruction, state, issue, instruction.operand(Role::mbarrier),
                          rules::kBulkAlignment, at, {write});
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

/// 9.7.8.24.6: a multiple of 16 bytes; 0 moves nothing, and counts for nothing.
std::uint32_t AsyncCopies::bulk_size(const State& state, const Operand& source) {
  const std::uint32_t bytes = registers_.constant_operand(state, source, "a size");
  if (bytes % rules::kBulkAlignment != 0) {
    fail(source.position, "size " + std::to_string(bytes) + ", expected a multiple of 16 bytes");
  }
  return bytes;
}

}  // namespace ptxmc::lower

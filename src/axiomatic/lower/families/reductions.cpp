// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/lower/families/reductions.h"

#include "axiomatic/lower/families/atomics.h"
#include "support/check.h"

namespace ptxmc::lower {

using event::Op;

/// The atomics of a reduction on the elements of a tile; `words`: their operands. Returns their events.
std::vector<EventId> Reductions::reduce_tile(const Instruction& instruction, const Tile& to, EventId issue,
                                             Expr guard, const Words& words) {
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
    Event half = accesses_.access_event(EventKind::read, instruction, guard, access);
    half.issue = issue;
    half.labels.atomic = true;
    half.labels.no_return = true;  // 8.4, R29: a reduction never acquires
    Event write = half;
    write.kind = EventKind::write;
    EventId id = event::kNoEvent;
    const Words old = accesses_.add_read(std::move(half), access, id);
    write.rmw_partner = id;
    const Expr value = combine(pool_, instruction, access, old.front(), words.at(at / element));
    graph_.events[id].rmw_partner = accesses_.add_write(std::move(write), access, {value});
    events.push_back(id);
    events.push_back(id + 1);
  }
  return events;
}

/// The elements of a tile, in one cell each, or several where something accesses a part of one.
Words Reductions::element_words(const Instruction& instruction, const Tile& tile, const Words& cells) {
  const std::int64_t element = instruction.modifiers.type->bits / 8;
  const Width width = width_of(instruction.modifiers.type->bits, unit_.options.unbounded);
  Words words;
  for (std::size_t k = 0; k < tile.cells.size(); ++k) {
    const Expr value = resize(pool_, {cells[k], false}, width);
    const std::int64_t inside = tile.begins[k] % element;
    if (inside == 0) {
      words.push_back(value);
    } else {
      words.back() = pool_.make(Op::or_, width, words.back(),
                                pool_.make(Op::shl, width, value, pool_.constant(inside * 8, width)));
    }
  }
  return words;
}

}  // namespace ptxmc::lower

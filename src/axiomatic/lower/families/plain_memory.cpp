// SPDX-License-Identifier: Apache-2.0
// ld and st (9.7.8.8, 9.7.8.11), and fences (9.7.12.4).
#include "axiomatic/lower/families/plain_memory.h"

#include "axiomatic/lower/unit/matrix_values.h"
#include "ptx/isa/opcode.h"
#include "support/check.h"

namespace ptxmc::lower {

using isa::Space;

void PlainMemory::load(const Instruction& instruction, State& state) {
  std::vector<Target> places = accesses_.targets(instruction, instruction.operand(Role::address), state);
  if (places.empty()) return;  // no address is one of this instruction: out of bounds
  std::vector<Words> values;
  for (const Target& place : places) {
    const auto first = static_cast<EventId>(graph_.size());
    Words words;
    for (const Access& scalar : place.scalars) {
      EventId id = event::kNoEvent;
      const Words value = accesses_.add_read(
          accesses_.access_event(EventKind::read, instruction, place.guard, scalar), scalar, id);
      words.insert(words.end(), value.begin(), value.end());
    }
    if (words_.whole_vector(instruction)) {
      const Access& whole = place.scalars.front();
      words = words_.divided(words, whole, words_.element_of(instruction, whole));
    }
    if (place.scalars.size() > 1) accesses_.join_vector(first);
    values.push_back(std::move(words));
  }
  const Access element = words_.element_of(instruction, places.front().scalars.front());
  Words words = accesses_.choose(places, values, element);
  if (const auto known = constant_word(instruction, state)) words = {resize(pool_, {*known}, element.width)};
  words_.write_words(state, instruction, instruction.operand(Role::result), words, element);
}

/// What a load of one element of .const or .param memory returns: nothing writes it. So pointers that are
/// parameters of the kernel are as good as the variables that they point to.
std::optional<Expr> PlainMemory::constant_word(const Instruction& instruction, const State& state) {
  const isa::Modifiers& m = instruction.modifiers;
  const Operand& operand = instruction.operand(Role::address);
  const auto& written = std::get<program::Address>(operand.value);
  if (m.vector > 1 || m.packed != isa::Packed::none) return std::nullopt;
  std::optional<Location> place;
  if (!written.variable.empty()) {
    place = addresses_.base_location(operand);
  } else {
    const Expr base = registers_.base_register(state, written, operand.position);
    if (unit_.places.is_fixed(pool_, base)) place = addresses_.located(base, operand);
  }
  if (!place) return std::nullopt;
  const Space space = layout_.space(place->variable);
  const std::int64_t size = layout_.stride(place->variable);
  const bool whole = place->offset % size == 0 && size <= 8 && (!m.type || m.type->bits == size * 8);
  const VariableId root = layout_.root(place->variable);
  if ((space != Space::const_ && space != Space::param) || !whole || layout_.variable(root).map)
    return std::nullopt;
  return initial_element(unit_, root, place->offset / size);
}

void PlainMemory::store(const Instruction& instruction, State& state) {
  for (const Target& place : accesses_.targets(instruction, instruction.operand(Role::address), state)) {
    const Access& whole = place.scalars.front();
    const Access element = words_.element_of(instruction, whole);
    Words words = words_.stored_words(instruction, state, instruction.operand(Role::value), element);
    if (words_.whole_vector(instruction)) words = words_.joined(words, element, whole);
    const auto first = static_cast<EventId>(graph_.size());
    for (std::size_t i = 0; i < place.scalars.size(); ++i) {
      const Access& scalar = place.scalars[i];
      const auto from = words.begin() + static_cast<std::ptrdiff_t>(i * scalar.words);
      accesses_.add_write(accesses_.access_event(EventKind::write, instruction, place.guard, scalar), scalar,
                          Words(from, from + static_cast<std::ptrdiff_t>(scalar.words)));
    }
    if (place.scalars.size() > 1) accesses_.join_vector(first);
  }
}

/// A weak write of a cache line, whose value is not known (R113, D46).
void PlainMemory::discard(const Instruction& instruction, State& state) {
  constexpr std::uint32_t kLine = 128;
  const Operand& target = instruction.operand(Role::address);
  const Operand& size = instruction.operand(Role::bytes);
  const std::uint32_t bytes = registers_.constant_operand(state, size, "a size");
  if (bytes != kLine) fail(size.position, "size " + std::to_string(bytes) + ", expected 128");
  const Tile line = tiles_.tile(instruction, target, addresses_.tile_location(target, state),
                                {isa::Space::global, kLine, kLine, true, false});
  const auto event = static_cast<event::Value>(graph_.size());
  Words words;
  for (std::size_t k = 0; k < line.cells.size(); ++k) {
    const Expr left = uninterpreted(
        pool_, "discarded", {pool_.constant(event, 64), pool_.constant(static_cast<event::Value>(k), 64)});
    words.push_back(resize(pool_, {left, false}, line.widths[k]));
  }
  tiles_.write(instruction, line, event::kNoEvent, registers_.event_guard(instruction, state), words);
}

}  // namespace ptxmc::lower

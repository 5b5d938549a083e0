// SPDX-License-Identifier: Apache-2.0
// Tensor maps as memory: tensormap.replace (9.7.8.25), tensormap.cp_fenceproxy (9.7.12.15.18), the fences of
// the tensormap proxy (9.7.12.4), and what a copy finds in a map.
//
// Everything but a copy accesses a map through the generic proxy, as 128 bytes. A copy reads it through the
// tensormap proxy, asynchronously, and what it then does depends on what it read: one alternative for each
// map that the test can make of the declared ones by the replacements in it, under the guard that this is
// what was read. A map that nothing writes is a constant, and is not read at all.
#include <algorithm>

#include "lower/thread.h"
#include "support/check.h"

namespace ptxmc::lower {

using event::Event;
using event::EventId;
using event::EventKind;
using event::Expr;
using event::Op;
using isa::MapField;
using isa::Space;

namespace {

constexpr std::uint32_t kMapAlignment = 64;  // bytes
constexpr std::size_t kMostMaps = 64;        // that one operand may name

/// Largest value of the fields that have few (Table 30).
event::Value largest(MapField field) {
  switch (field) {
    case MapField::elemtype:
      return static_cast<event::Value>(isa::TensorElement::tf32_ftz);
    case MapField::swizzle_mode:
      return 3;
    case MapField::interleave_layout:
      return 2;
    default:
      return 1;
  }
}

/// Every choice of one value a list.
std::vector<std::vector<event::Value>> choices(const std::vector<std::set<event::Value>>& lists) {
  std::vector<std::vector<event::Value>> out = {{}};
  for (const auto& list : lists) {
    std::vector<std::vector<event::Value>> longer;
    for (const auto& begin : out) {
      for (const event::Value value : list) {
        longer.push_back(begin);
        longer.back().push_back(value);
        if (longer.size() > kMostMaps) return longer;
      }
    }
    out = std::move(longer);
  }
  return out;
}

}  // namespace

/// The field that an instruction replaces, and by what.
std::pair<std::size_t, event::Value> ThreadLowering::replaced_field(const Instruction& instruction,
                                                                    const State& state) {
  auto& pool = unit_.pool();
  const MapField field = instruction.modifiers.map_field;
  const Operand& source = instruction.operand(Role::value);
  const Operand* chosen = instruction.find(Role::ordinal);
  const std::int64_t ordinal = chosen == nullptr ? 0 : std::get<program::Integer>(chosen->value).value;
  const auto place = footprint::map_field(field, ordinal);
  if (!place) {
    fail(instruction.operand(Role::ordinal).position,
         "ordinal " + std::to_string(ordinal) + ", expected 0 to " +
             (field == MapField::global_stride ? "3: a tensor of 5 dimensions has 4 strides" : "4"));
  }
  const Expr value = operand(state, source, unit_.word());
  const auto fixed = unit_.places.number_of(pool, value);  // of an address, what the layout gives it
  if (!fixed || (!pool.is_constant(value) && field != MapField::global_address)) {
    unit_.errors.unsupported(source.position, "a value of a tensor map's field that is not constant");
  }
  const event::Value number = *fixed;
  const bool few = field == MapField::elemtype || field == MapField::interleave_layout ||
                   field == MapField::swizzle_mode || field == MapField::fill_mode;
  if (few && (number < 0 || number > largest(field))) {
    fail(source.position, "value " + std::to_string(number) + " of ." + std::string(isa::name_of(field)) +
                              ", expected 0 to " + std::to_string(largest(field)));
  }
  if (number != 0 && (field == MapField::interleave_layout || field == MapField::fill_mode)) {
    unit_.errors.unsupported(source.position, field == MapField::fill_mode
                                                  ? "a tensor map that fills with NaN"
                                                  : "a tensor map with interleaving");
  }
  return {*place, event::wrap(number, field == MapField::global_address || field == MapField::global_stride
                                          ? Width{64}
                                          : Width{32})};
}

/// R157: a weak access of the whole object, which keeps all other fields.
void ThreadLowering::replace_map_field(const Instruction& instruction, State& state) {
  const Operand& target = instruction.operand(Role::address);
  const auto [field, value] = replaced_field(instruction, state);
  unit_.layout.note_field(field, value);
  const Location place = tile_location(target, state);
  const Space own = unit_.layout.space(place.variable);
  if (own != Space::global && own != Space::shared) {
    fail(target.position, "variable " + unit_.layout.variable(place.variable).name + " is ." +
                              std::string(isa::name_of(own)) +
                              "; `tensormap.replace` acts on .global and .shared::cta memory");
  }
  const Tile map = map_tile(instruction, target, place, instruction.modifiers.space, true);
  const Expr guard = event_guard(instruction, state);
  Words words;
  add_tile_read(tile_event(EventKind::read, instruction, map, event::kNoEvent, guard), map, words);
  const Range range = footprint::map_range(field);
  for (std::size_t k = 0; k < map.cells.size(); ++k) {
    if (map.begins[k] == range.begin) words[k] = unit_.pool().constant(value, map.widths[k]);
  }
  add_tile_write(tile_event(EventKind::write, instruction, map, event::kNoEvent, guard), map, words);
}

/// The 128 bytes of a map, divided where the test replaces fields.
ThreadLowering::Tile ThreadLowering::map_tile(const Instruction& instruction, const Operand& operand,
                                              const Location& place, Space space, bool writes) {
  Layout& layout = unit_.layout;
  const Block block = this->block(place);
  for (std::size_t f = 0; f < footprint::kMapFields; ++f) {
    if (layout.replacements(f).empty()) continue;
    const Range range = footprint::map_range(f);
    layout.note_split(block, place.offset + range.begin);
    layout.note_split(block, place.offset + range.end());
  }
  Tile map = tile(instruction, operand, place, {space, footprint::kMapBytes, kMapAlignment, writes, false});
  if (!layout.frozen()) return map;
  for (std::size_t f = 0; f < footprint::kMapFields; ++f) {
    const bool whole = std::any_of(map.cells.begin(), map.cells.end(), [&](event::CellId cell) {
      const Range& bytes = layout.owners()[cell].range;
      return footprint::map_field_at({bytes.begin - place.offset, bytes.bytes}) == f;
    });
    if (layout.replacements(f).empty() || whole) continue;
    unit_.errors.unsupported(operand.position, "an access to a part of a field of a tensor map");
  }
  return map;
}

/// R158, R159: the copy, in the generic proxy, then the fence for what it wrote.
void ThreadLowering::copy_map(const Instruction& instruction, State& state) {
  need_warp(instruction);
  check_map_size(instruction.operand(Role::bytes), state);
  const Operand& target = instruction.operand(Role::address);
  const Operand& source = instruction.operand(Role::source_address);
  const Expr guard = event_guard(instruction, state);
  const Tile from = map_tile(instruction, source, tile_location(source, state), Space::shared_cta, false);
  const Tile to = map_tile(instruction, target, tile_location(target, state), Space::global, true);
  link_tiles(instruction, from, to, footprint::kMapBytes);
  Words words;
  Instruction plain = instruction;
  plain.modifiers.proxy = isa::Proxy::generic;
  add_tile_read(tile_event(EventKind::read, plain, from, event::kNoEvent, guard), from, words);
  words.resize(to.cells.size(), unit_.pool().constant(0, unit_.word()));  // the survey has no values
  add_tile_write(tile_event(EventKind::write, plain, to, event::kNoEvent, guard), to, words);
  add_map_fence(instruction, guard, to.cells);
}

void ThreadLowering::check_map_size(const Operand& operand, const State& state) {
  if (const std::uint32_t size = constant_operand(state, operand, "a size"); size != footprint::kMapBytes)
    fail(operand.position, "size " + std::to_string(size) + ", expected 128");
}

/// A one-directional fence. `fenced`: what it is for; none, and a release: every map.
void ThreadLowering::add_map_fence(const Instruction& instruction, Expr guard,
                                   std::vector<event::CellId> fenced) {
  Event fence = new_event(EventKind::proxy_fence, instruction, guard);
  fence.labels.proxy = isa::Proxy::tensormap;
  fence.labels.semantics = instruction.modifiers.semantics;
  fence.labels.scope = instruction.modifiers.scope;
  fence.named = std::move(fenced);
  unit_.add_event(std::move(fence));
}

/// R190: an acquire is for 128 bytes of global memory. Where nothing writes them it is for nothing.
void ThreadLowering::fence_maps(const Instruction& instruction, State& state) {
  const Expr guard = event_guard(instruction, state);
  std::vector<event::CellId> fenced;
  if (instruction.modifiers.semantics == isa::Semantics::acquire) {
    check_map_size(instruction.operand(Role::bytes), state);
    const Operand& target = instruction.operand(Role::address);
    const Location place = tile_location(target, state);
    Instruction access;
    access.opcode = isa::Opcode::ld;
    access.modifiers.space = Space::global;
    check_space(access, place, target.position);
    if (unit_.layout.is_written(place.variable))
      fenced = map_tile(instruction, target, place, Space::global, false).cells;
  }
  add_map_fence(instruction, guard, std::move(fenced));
}

/// A hint (9.7.8.14).
void ThreadLowering::prefetch_map(const Instruction& instruction, State& state) {
  const Operand& source = instruction.operand(Role::address);
  const Location place = tile_location(source, state);
  Instruction access;
  access.opcode = isa::Opcode::ld;
  access.modifiers.space = instruction.modifiers.space;
  check_space(access, place, source.position);
}

/// What a copy may find in its map, with the guard under which it does; `issue`: its instruction. The read of
/// the map, if there is one, comes first among `accesses`; `rest`: where it is none of these.
std::vector<ThreadLowering::MapChoice> ThreadLowering::read_map(const Instruction& instruction,
                                                                const Operand& operand, const State& state,
                                                                EventId issue, std::vector<EventId>& accesses,
                                                                Expr& rest) {
  Layout& layout = unit_.layout;
  const Expr guard = unit_.graph.events[issue].guard;
  const Operand address{std::get<program::TensorAddress>(operand.value).map, operand.position};
  const Location place = tile_location(address, state);
  const program::Variable& variable = layout.variable(layout.root(place.variable));
  const Space own = layout.space(place.variable);
  layout.note_map_read();
  if (own != Space::global && own != Space::const_ && own != Space::param) {
    fail(operand.position, "variable " + variable.name + " is ." + std::string(isa::name_of(own)) +
                               ", a tensor map is in .global, .const or .param memory");
  }
  if (!layout.is_written(place.variable)) {
    if (!variable.map || place.offset != 0) fail(operand.position, variable.name + " holds no tensor map");
    return {{guard, layout.map_fields(layout.root(place.variable))}};
  }
  const Tile map = map_tile(instruction, address, place, Space::generic, false);
  Event read = tile_event(EventKind::read, instruction, map, issue, guard);
  read.labels.proxy = isa::Proxy::tensormap;
  Words words;
  accesses.push_back(add_tile_read(std::move(read), map, words));
  rest = guard;
  return map_choices(instruction, map, words, rest);
}

std::vector<ThreadLowering::MapChoice> ThreadLowering::map_choices(const Instruction& instruction,
                                                                   const Tile& map, const Words& words,
                                                                   Expr& rest) {
  auto& pool = unit_.pool();
  Layout& layout = unit_.layout;
  std::vector<std::size_t> replaced;
  for (std::size_t f = 0; f < footprint::kMapFields; ++f) {
    if (!layout.replacements(f).empty()) replaced.push_back(f);
  }
  const std::size_t number = unit_.reach.start();
  event::Value next = 0;
  std::vector<MapChoice> found;
  for (VariableId id = 0; id < layout.variables(); ++id) {
    if (!layout.variable(id).map) continue;
    MapFields fields = layout.map_fields(id);
    std::vector<std::set<event::Value>> values;
    for (const std::size_t f : replaced) {
      values.push_back(layout.replacements(f));
      values.back().insert(fields[f]);
    }
    for (const auto& choice : choices(values)) {
      for (std::size_t i = 0; i < replaced.size(); ++i) fields[replaced[i]] = choice[i];
      if (++next > static_cast<event::Value>(kMostMaps)) {
        unit_.errors.unsupported(instruction.position,
                                 "a tensor map that may be any of more than " + std::to_string(kMostMaps));
      }
      if (unit_.reach.excluded(number, next) || !footprint::map_problem(fields).text.empty()) continue;
      const auto [here, cells] = holds_map(map, words, fields, layout.map_token(id));
      if (pool.is_false(here)) continue;
      unit_.decide(thread_, here, rest);
      found.push_back({pool.conjunction(rest, here), fields});
      unit_.reach.note(number, next, pool.conjunction(rest, cells), here);
      rest = pool.conjunction(rest, pool.negation(here));
    }
  }
  return found;
}

/// The 128 bytes are this map: cell by cell; or in one comparison where there are many, which is one
/// decision.
ThreadLowering::MapMatch ThreadLowering::holds_map(const Tile& map, const Words& words,
                                                   const MapFields& fields, event::Value token) {
  constexpr std::size_t kFew = 3;
  auto& pool = unit_.pool();
  const Layout& layout = unit_.layout;
  Expr every = pool.truth(true), matches = pool.constant(0, 64);
  for (std::size_t k = 0; k < words.size(); ++k) {
    event::Value value = token;
    const std::int64_t end = k + 1 < words.size() ? map.begins[k + 1] : footprint::kMapBytes;
    const auto field =
        footprint::map_field_at({map.begins[k], static_cast<std::uint32_t>(end - map.begins[k])});
    if (field && !layout.replacements(*field).empty()) value = fields[*field];
    const Expr equal = pool.make(Op::eq, 1, words[k], pool.constant(value, map.widths[k]));
    every = pool.conjunction(every, equal);
    matches = pool.make(Op::add, 64, matches,
                        pool.make(Op::ite, 64, equal, pool.constant(1, 64), pool.constant(0, 64)));
  }
  if (words.size() <= kFew) return {every, every};
  const auto all = static_cast<event::Value>(words.size());
  return {pool.make(Op::eq, 1, matches, pool.constant(all, 64)), every};
}

}  // namespace ptxmc::lower

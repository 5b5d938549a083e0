// SPDX-License-Identifier: Apache-2.0
// Tensor maps as memory: tensormap.replace (9.7.8.25), tensormap.cp_fenceproxy (9.7.12.15.18), the fences of
// the tensormap proxy (9.7.12.4), and what a copy finds in a map.
//
// Everything but a copy accesses a map through the generic proxy, as 128 bytes. A copy reads it through the
// tensormap proxy, asynchronously, and what it then does depends on what it read: one alternative for each
// map that the program can make of the declared ones by the replacements in it, under the guard that this is
// what was read. A map that nothing writes is a constant, and is not read at all.
#include "axiomatic/lower/families/tensor_maps.h"

#include <algorithm>

#include "ptx/rules/limits.h"
#include "support/check.h"

namespace ptxmc::lower {

using event::Op;
using isa::MapField;
using isa::Space;

namespace {

constexpr std::size_t kMostMaps = 64;  // that one operand may name

/// Largest value of the fields that have few (Table 30).
event::Value largest(MapField field) {
  switch (field) {
    case MapField::elemtype:
      return static_cast<event::Value>(isa::TensorElement::tf32_ftz);
    case MapField::swizzle_mode:
    case MapField::swizzle_atomicity:
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
std::pair<std::size_t, event::Value> TensorMaps::replaced_field(const Instruction& instruction,
                                                                const State& state) {
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
  const Expr value = registers_.operand(state, source, unit_.word());
  const auto fixed = unit_.places.number_of(pool_, value);  // of an address, what the layout gives it
  if (!fixed || (!pool_.is_constant(value) && field != MapField::global_address)) {
    unsupported(source.position, "a value of a tensor map's field that is not constant");
  }
  const event::Value number = *fixed;
  const bool few = isa::has_few_values(field);
  if (few && (number < 0 || number > largest(field))) {
    fail(source.position, "value " + std::to_string(number) + " of ." + std::string(isa::name_of(field)) +
                              ", expected 0 to " + std::to_string(largest(field)));
  }
  return {*place, event::wrap(number, field == MapField::global_address || field == MapField::global_stride
                                          ? Width{64}
                                          : Width{32})};
}

/// R157: a weak access of the whole object, which keeps all other fields.
void TensorMaps::replace_map_field(const Instruction& instruction, State& state) {
  const Operand& target = instruction.operand(Role::address);
  const auto [field, value] = replaced_field(instruction, state);
  layout_.note_field(field, value);
  const Location place = addresses_.tile_location(target, state);
  const Space own = layout_.space(place.variable);
  if (own != Space::global && own != Space::shared) {
    fail(target.position, "variable " + layout_.variable(place.variable).name + " is ." +
                              std::string(isa::name_of(own)) +
                              "; `tensormap.replace` acts on .global and .shared::cta memory");
  }
  const Tile map = map_tile(instruction, target, place, instruction.modifiers.space, true);
  const Expr guard = registers_.event_guard(instruction, state);
  Words words;
  tiles_.read(instruction, map, event::kNoEvent, guard, words);
  const Range range = footprint::map_range(field);
  for (std::size_t k = 0; k < map.cells.size(); ++k) {
    if (map.begins[k] == range.begin) words[k] = pool_.constant(value, map.widths[k]);
  }
  tiles_.write(instruction, map, event::kNoEvent, guard, words);
}

/// The 128 bytes of a map, divided where the program replaces fields.
Tile TensorMaps::map_tile(const Instruction& instruction, const Operand& operand, const Location& place,
                          Space space, bool writes) {
  const Block block = addresses_.block(place);
  for (std::size_t f = 0; f < footprint::kMapFields; ++f) {
    if (layout_.replacements(f).empty()) continue;
    const Range range = footprint::map_range(f);
    layout_.note_split(block, place.offset + range.begin);
    layout_.note_split(block, place.offset + range.end());
  }
  Tile map = tiles_.tile(instruction, operand, place,
                         {space, footprint::kMapBytes, rules::kMapAlignment, writes, false});
  if (!layout_.frozen()) return map;
  for (std::size_t f = 0; f < footprint::kMapFields; ++f) {
    const bool whole = std::any_of(map.cells.begin(), map.cells.end(), [&](event::CellId cell) {
      const Range& bytes = layout_.owners()[cell].range;
      return footprint::map_field_at({bytes.begin - place.offset, bytes.bytes}) == f;
    });
    if (layout_.replacements(f).empty() || whole) continue;
    unsupported(operand.position, "an access to a part of a field of a tensor map");
  }
  return map;
}

/// Whether this thread is the first of the lanes of a warp that are threads of their own.
bool TensorMaps::is_first_of_warp() const {
  const std::uint32_t before = (info_.lanes & -info_.lanes) - 1;
  return (lanes_of_warp(graph_, thread_) & before) == 0;
}

/// R158: the copy, in the generic proxy. Where lanes are threads of their own, the first one makes it: the
/// others wait for it (Barriers::warp_meets), and come after it (R159).
void TensorMaps::copy_map(const Instruction& instruction, State& state) {
  if (!is_first_of_warp()) return;
  const Operand& target = instruction.operand(Role::address);
  const Operand& source = instruction.operand(Role::source_address);
  const Expr guard = registers_.event_guard(instruction, state);
  const Tile from =
      map_tile(instruction, source, addresses_.tile_location(source, state), Space::shared_cta, false);
  const Tile to = map_tile(instruction, target, addresses_.tile_location(target, state), Space::global, true);
  tiles_.link_tiles(instruction, from, to, footprint::kMapBytes);
  Words words;
  Instruction plain = instruction;
  plain.modifiers.proxy = isa::Proxy::generic;
  tiles_.read(plain, from, event::kNoEvent, guard, words);
  words.resize(to.cells.size(), pool_.constant(0, unit_.word()));  // the survey has no values
  tiles_.write(plain, to, event::kNoEvent, guard, words);
}

/// R158: the fence for what the copy wrote.
void TensorMaps::release_map(const Instruction& instruction, State& state) {
  const Operand& target = instruction.operand(Role::address);
  const Tile to = map_tile(instruction, target, addresses_.tile_location(target, state), Space::global, true);
  add_map_fence(instruction, registers_.event_guard(instruction, state), to.cells);
}

/// A one-directional fence. `fenced`: what it is for; none, and a release: every map.
void TensorMaps::add_map_fence(const Instruction& instruction, Expr guard,
                               std::vector<event::CellId> fenced) {
  Event fence = new_event(EventKind::proxy_fence, instruction, guard);
  fence.labels.proxy = isa::Proxy::tensormap;
  fence.labels.semantics = instruction.modifiers.semantics;
  fence.labels.scope = instruction.modifiers.scope;
  fence.named = std::move(fenced);
  unit_.add_event(std::move(fence));
}

/// R190: an acquire is for 128 bytes of global memory. Where nothing writes them it is for nothing.
void TensorMaps::fence_maps(const Instruction& instruction, State& state) {
  const Expr guard = registers_.event_guard(instruction, state);
  std::vector<event::CellId> fenced;
  if (instruction.modifiers.semantics == isa::Semantics::acquire) {
    const Operand& target = instruction.operand(Role::address);
    const Location place = addresses_.tile_location(target, state);
    Instruction access;
    access.opcode = isa::Opcode::ld;
    access.modifiers.space = Space::global;
    addresses_.check_space(access, place, target.position);
    if (layout_.is_written(place.variable))
      fenced = map_tile(instruction, target, place, Space::global, false).cells;
  }
  add_map_fence(instruction, guard, std::move(fenced));
}

/// A hint (9.7.8.14).
void TensorMaps::prefetch_map(const Instruction& instruction, State& state) {
  const Operand& source = instruction.operand(Role::address);
  const Location place = addresses_.tile_location(source, state);
  Instruction access;
  access.opcode = isa::Opcode::ld;
  access.modifiers.space = instruction.modifiers.space;
  addresses_.check_space(access, place, source.position);
}

/// What a copy may find in its map, with the guard under which it does; `issue`: its instruction. The read of
/// the map, if there is one, comes first among `accesses`; `rest`: where it is none of these.
std::vector<MapChoice> TensorMaps::read_map(const Instruction& instruction, const Operand& operand,
                                            const State& state, EventId issue, std::vector<EventId>& accesses,
                                            Expr& rest) {
  const Expr guard = graph_.events[issue].guard;
  const Operand address{std::get<program::TensorAddress>(operand.value).map, operand.position};
  const Location place = addresses_.tile_location(address, state);
  const program::Variable& variable = layout_.variable(layout_.root(place.variable));
  const Space own = layout_.space(place.variable);
  layout_.note_map_read();
  if (own != Space::global && own != Space::const_ && own != Space::param) {
    fail(operand.position, "variable " + variable.name + " is ." + std::string(isa::name_of(own)) +
                               ", a tensor map is in .global, .const or .param memory");
  }
  if (!layout_.is_written(place.variable)) {
    if (!variable.map || place.offset != 0) fail(operand.position, variable.name + " holds no tensor map");
    return {{guard, layout_.map_fields(layout_.root(place.variable))}};
  }
  const Tile map = map_tile(instruction, address, place, Space::generic, false);
  Event read = tiles_.tile_event(EventKind::read, instruction, map, issue, guard);
  read.labels.proxy = isa::Proxy::tensormap;
  Words words;
  accesses.push_back(tiles_.add_tile_read(std::move(read), map, words));
  rest = guard;
  return map_choices(instruction, map, words, rest);
}

std::vector<MapChoice> TensorMaps::map_choices(const Instruction& instruction, const Tile& map,
                                               const Words& words, Expr& rest) {
  std::vector<std::size_t> replaced;
  for (std::size_t f = 0; f < footprint::kMapFields; ++f) {
    if (!layout_.replacements(f).empty()) replaced.push_back(f);
  }
  const std::size_t number = unit_.reach.start();
  event::Value next = 0;
  std::vector<MapChoice> found;
  for (VariableId id = 0; id < layout_.variables(); ++id) {
    if (!layout_.variable(id).map) continue;
    MapFields fields = layout_.map_fields(id);
    std::vector<std::set<event::Value>> values;
    for (const std::size_t f : replaced) {
      values.push_back(layout_.replacements(f));
      values.back().insert(fields[f]);
    }
    for (const auto& choice : choices(values)) {
      for (std::size_t i = 0; i < replaced.size(); ++i) fields[replaced[i]] = choice[i];
      if (++next > static_cast<event::Value>(kMostMaps)) {
        unsupported(instruction.position,
                    "a tensor map that may be any of more than " + std::to_string(kMostMaps));
      }
      if (unit_.reach.excluded(number, next) ||
          !footprint::map_problem(fields, instruction.modifiers.load_mode).text.empty())
        continue;
      const auto [here, cells] = holds_map(map, words, fields, layout_.map_token(id));
      if (pool_.is_false(here)) continue;
      unit_.decide(thread_, here, rest);
      found.push_back({pool_.conjunction(rest, here), fields});
      unit_.reach.note(number, next, pool_.conjunction(rest, cells), here);
      rest = pool_.conjunction(rest, pool_.negation(here));
    }
  }
  return found;
}

/// The 128 bytes are this map: cell by cell; or in one comparison where there are many, which is one
/// decision.
TensorMaps::MapMatch TensorMaps::holds_map(const Tile& map, const Words& words, const MapFields& fields,
                                           event::Value token) {
  constexpr std::size_t kFew = 3;
  Expr every = pool_.truth(true), matches = pool_.constant(0, 64);
  for (std::size_t k = 0; k < words.size(); ++k) {
    event::Value value = token;
    const std::int64_t end = k + 1 < words.size() ? map.begins[k + 1] : footprint::kMapBytes;
    const auto field =
        footprint::map_field_at({map.begins[k], static_cast<std::uint32_t>(end - map.begins[k])});
    if (field && !layout_.replacements(*field).empty()) value = fields[*field];
    const Expr equal = pool_.make(Op::eq, 1, words[k], pool_.constant(value, map.widths[k]));
    every = pool_.conjunction(every, equal);
    matches = pool_.make(Op::add, 64, matches,
                         pool_.make(Op::ite, 64, equal, pool_.constant(1, 64), pool_.constant(0, 64)));
  }
  if (words.size() <= kFew) return {every, every};
  const auto all = static_cast<event::Value>(words.size());
  return {pool_.make(Op::eq, 1, matches, pool_.constant(all, 64)), every};
}

}  // namespace ptxmc::lower

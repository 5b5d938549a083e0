// SPDX-License-Identifier: Apache-2.0
// cp.async.bulk.tensor (9.7.8.24.9), cp.reduce.async.bulk.tensor (9.7.8.24.10) and the prefetch
// (9.7.8.24.11), of tiles, rows by number, and columns of pixels.
//
// A tensor copy is a bulk copy whose bytes follow from a tensor map and coordinates (tensor_map.h): one read
// and one write of the async proxy, over all runs of the box. A load writes zero where the box leaves the
// tensor, and its complete-tx counts the whole box; a store writes nothing there. A reduction is an atomic
// for each element, .relaxed.gpu (R151, D59). The read of the map through the tensormap proxy is part of the
// operation: a thread that waits for it, or for its reads, waits for that too.
#include "axiomatic/lower/families/tensor_copies.h"

#include <algorithm>
#include <map>

#include "axiomatic/event/sync_path.h"
#include "axiomatic/lower/unit/matrix_values.h"
#include "finding/rules.h"
#include "ptx/isa/table.h"
#include "ptx/rules/limits.h"
#include "ptx/rules/reductions.h"
#include "support/check.h"

namespace ptxmc::lower {

using footprint::Box;
using isa::Space;
using isa::TensorElement;

/// The coordinates, signed numbers of 32 bits, and behind them the im2col offsets, of 16 bits without sign.
std::vector<std::int64_t> TensorCopies::tensor_places(const Instruction& instruction, const State& state) {
  const Operand& tensor = instruction.operand(Role::tensor);
  std::vector<std::int64_t> out;
  const auto add = [&](const Operand& whole, const auto& element, Width width) {
    Operand one;
    one.position = whole.position;
    std::visit([&](const auto& value) { one.value = value; }, element);
    const Expr value = registers_.operand(state, one, width);
    if (!pool_.is_constant(value)) unsupported(whole.position, "a coordinate that is not constant");
    const event::Value number = pool_[value].constant;
    out.push_back(width == 32 ? event::as_signed(number, width) : number & 0xffff);
  };
  for (const auto& element : std::get<program::TensorAddress>(tensor.value).coordinates)
    add(tensor, element, 32);
  const Operand* offsets = instruction.find(Role::offsets);
  if (offsets == nullptr) return out;
  for (const auto& element : std::get<program::VectorOperand>(offsets->value).elements)
    add(*offsets, element, 16);
  return out;
}

/// Why the runs of a box are no bytes of a variable; empty when they are.
std::string TensorCopies::box_problem(const MapFields& fields, const Box& box) const {
  const auto location = layout_.locate(fields[0]);
  if (!location || layout_.space(location->variable) != Space::global)
    return "the tensor map has no address of global memory";
  for (const footprint::Run& run : box.runs) {
    const std::int64_t begin = location->offset + run.global;
    if (begin < 0 || begin + run.bytes > layout_.extent(location->variable)) {
      return std::to_string(run.bytes) + " bytes at offset " + std::to_string(begin) + " are outside of " +
             layout_.variable(location->variable).name;
    }
  }
  return "";
}

/// The maps that a copy may go through with the boxes that they give it. One that gives none is an error, or,
/// where it is one among others, undefined behaviour.
std::vector<TensorCopies::BoxChoice> TensorCopies::boxes(const Instruction& instruction,
                                                         const Operand& operand, State& state, EventId issue,
                                                         std::vector<EventId>& accesses) {
  const std::vector<std::int64_t> places = tensor_places(instruction, state);
  Expr invalid = pool_.truth(false);
  const std::vector<MapChoice> maps = maps_.read_map(instruction, operand, state, issue, accesses, invalid);
  std::vector<BoxChoice> out;
  for (const MapChoice& map : maps) {
    const isa::LoadMode mode = instruction.modifiers.load_mode;
    footprint::Problem problem = footprint::map_problem(map.fields, mode);
    if (problem.unsupported) unsupported(operand.position, problem.text);
    const std::size_t dimensions = instruction.modifiers.dimensions;
    if (problem.text.empty() && footprint::map_rank(map.fields) != dimensions) {
      problem.text = "a tensor of " + std::to_string(footprint::map_rank(map.fields)) +
                     " dimensions, accessed as one of " + std::to_string(dimensions);
    }
    Box box;
    if (problem.text.empty()) {
      problem = footprint::place_problem(map.fields, mode, places);
      if (problem.unsupported) unsupported(operand.position, problem.text);
    }
    if (problem.text.empty()) {
      box = footprint::box_of(map.fields, mode, places);
      problem.text = box_problem(map.fields, box);
    }
    if (problem.text.empty()) {
      out.push_back({map.guard, map.fields, std::move(box)});
    } else if (accesses.empty()) {
      fail(operand.position, problem.text);
    } else {
      invalid = pool_.disjunction(invalid, map.guard);
    }
  }
  if (!pool_.is_false(invalid)) misuse_map(instruction, state, issue, accesses, invalid);
  return out;
}

/// A copy through what is no tensor map, where `invalid` holds. How much it copies is not known; its
/// complete-tx counts more than an mbarrier object can, so that no wait for it keeps the misuse from being
/// seen.
void TensorCopies::misuse_map(const Instruction& instruction, State& state, EventId issue,
                              const std::vector<EventId>& accesses, Expr invalid) {
  misuse(finding::RuleId::tensor_map, invalid, instruction);
  if (instruction.modifiers.space == Space::global) return;
  constexpr auto kTooMany = static_cast<std::uint32_t>(2 * rules::kLargestMbarrierCount + 1);
  completions_.complete(instruction, state, issue, instruction.operand(Role::mbarrier), kTooMany,
                        std::nullopt, accesses, invalid);
}

/// The tensor's side of a box: the cells of all runs, each with its place in shared memory as its begin.
Tile TensorCopies::tensor_tile(const Instruction& instruction, const Operand& operand,
                               const BoxChoice& choice, const TileUse& use) {
  const Location base = *layout_.locate(choice.fields[0]);
  Tile whole{base.variable, addresses_.block(base), {base.offset, 0}, {}, {}, {}};
  for (const footprint::Run& run : choice.box.runs) {
    Location place = base;
    place.offset += run.global;
    TileUse piece = use;
    piece.bytes = run.bytes;
    const Tile part = tiles_.tile(instruction, operand, place, piece);
    whole.cells.insert(whole.cells.end(), part.cells.begin(), part.cells.end());
    whole.widths.insert(whole.widths.end(), part.widths.begin(), part.widths.end());
    for (const std::int64_t begin : part.begins) whole.begins.push_back(begin + run.shared);
  }
  return whole;
}

/// The other side: all of the box, divided as its runs are, and as the tensor is.
Tile TensorCopies::shared_tile(const Instruction& instruction, const Operand& operand, const Location& place,
                               const BoxChoice& choice, const TileUse& use) {
  constexpr std::int64_t kPatternRow = 128;
  const auto swizzle = footprint::map_field(isa::MapField::swizzle_mode, 0);
  if (choice.fields[*swizzle] != 0 && place.offset % kPatternRow != 0) {
    fail(operand.position,
         "a swizzled box at offset " + std::to_string(place.offset) + ", expected a multiple of 128 bytes");
  }
  TileUse all = use;
  all.bytes = choice.box.bytes;
  const Location tensor = *layout_.locate(choice.fields[0]);
  for (const footprint::Run& run : choice.box.runs) {
    if (use.elements) break;  // reduced element by element: nothing is copied as it is
    const std::int64_t begin = place.offset + run.shared;
    layout_.note_tile(addresses_.block(place), {begin, run.bytes});
    layout_.note_copy(addresses_.block(tensor), tensor.offset + run.global, addresses_.block(place), begin,
                      run.bytes);
  }
  return tiles_.tile(instruction, operand, place, all);
}

void TensorCopies::copy_tensor(const Instruction& written, State& state) {
  Instruction instruction = written;
  const bool reduces = instruction.modifiers.atomic != isa::AtomicOp::none;
  if (reduces && unit_.options.readings.tensor_reductions_of_sys)
    instruction.modifiers.scope = isa::Scope::sys;  // D59
  const bool load = instruction.modifiers.space != Space::global;
  const Operand& tensor = instruction.operand(Role::tensor);
  const EventId issue = completions_.issue_event(instruction, registers_.event_guard(instruction, state));
  std::vector<EventId> accesses;
  for (const BoxChoice& choice : boxes(instruction, tensor, state, issue, accesses)) {
    if (load) {
      load_box(instruction, state, issue, choice, accesses);
    } else if (reduces) {
      reduce_box(instruction, state, issue, choice);
    } else {
      store_box(instruction, state, issue, choice);
    }
  }
  if (load) return;
  for (const EventId read : accesses) state.copies.add(CopyKind::bulk, read);
}

/// The box of rows by number as boxes that ascend in the tensor, and meet no byte twice.
std::vector<TensorCopies::BoxChoice> TensorCopies::ascending(const Instruction& instruction,
                                                             const BoxChoice& choice) {
  if (instruction.modifiers.load_mode == isa::LoadMode::tile) return {choice};
  std::vector<BoxChoice> out;
  std::int64_t end = 0;
  for (const footprint::Run& run : choice.box.runs) {
    if (out.empty() || run.global < end) out.push_back({choice.guard, choice.fields, {choice.box.bytes, {}}});
    out.back().box.runs.push_back(run);
    end = run.global + run.bytes;
  }
  return out;
}

void TensorCopies::load_box(const Instruction& instruction, State& state, EventId issue,
                            const BoxChoice& choice, const std::vector<EventId>& of_map) {
  const Operand& target = instruction.operand(Role::address);
  std::vector<EventId> reads = of_map;
  std::map<std::int64_t, Expr> inside;  // by place in the box
  for (const BoxChoice& part : ascending(instruction, choice)) {
    const Tile from = tensor_tile(instruction, instruction.operand(Role::tensor), part,
                                  {Space::global, 0, 1, false, false});
    if (from.cells.empty()) continue;
    Words words;
    reads.push_back(tiles_.read(instruction, from, issue, choice.guard, words));
    for (std::size_t k = 0; k < words.size(); ++k) inside.emplace(from.begins[k], words[k]);
  }
  Location place = addresses_.tile_location(target, state);
  for (const std::uint32_t cta : completions_.destinations(instruction, state, place)) {
    if (instruction.modifiers.multicast) place.cta = cta;
    const Tile to = shared_tile(instruction, target, place, choice,
                                {instruction.modifiers.space, 0, rules::kBulkAlignment, true, false});
    Words stored;
    for (std::size_t k = 0; k < to.cells.size(); ++k) {
      const auto source = inside.find(to.begins[k]);
      const bool outside = source == inside.end() || !layout_.frozen();  // the survey has no values
      stored.push_back(outside ? filling(choice.fields, to.widths[k]) : source->second);
    }
    std::vector<EventId> accesses = reads;
    accesses.push_back(tiles_.write(instruction, to, issue, choice.guard, stored));
    std::optional<std::uint32_t> at;
    if (instruction.modifiers.multicast) at = completions_.signalled(instruction, state, cta);
    completions_.complete(instruction, state, issue, instruction.operand(Role::mbarrier), choice.box.bytes,
                          at, accesses, choice.guard);
  }
}

/// What a load writes where a box leaves the tensor: zero, or the number that is none (5.5.3.3), of whatever bits.
Expr TensorCopies::filling(const MapFields& fields, Width width) {
  if (!footprint::fills_with_nan(fields) || !layout_.frozen()) return pool_.constant(0, width);
  const auto element = static_cast<event::Value>(footprint::map_element(fields));
  return resize(pool_, {uninterpreted(pool_, "OOB-NaN", {pool_.constant(element, 64)}), false}, width);
}

void TensorCopies::store_box(const Instruction& instruction, State& state, EventId issue,
                             const BoxChoice& choice) {
  const Operand& source = instruction.operand(Role::source_address);
  const Tile from = shared_tile(instruction, source, addresses_.tile_location(source, state), choice,
                                {Space::shared_cta, 0, rules::kBulkAlignment, false, false});
  Words words;
  const EventId read = tiles_.read(instruction, from, issue, choice.guard, words);
  state.copies.add(CopyKind::bulk, read);
  for (const BoxChoice& part : ascending(instruction, choice)) {
    const Tile to =
        tensor_tile(instruction, instruction.operand(Role::tensor), part, {Space::global, 0, 1, true, false});
    if (to.cells.empty()) continue;
    Words stored;
    for (std::size_t k = 0; k < to.cells.size(); ++k) {
      const auto place = std::find(from.begins.begin(), from.begins.end(), to.begins[k]);
      const bool found = place != from.begins.end();
      PTXMC_CHECK(found || !layout_.frozen(), "a box that the survey did not find");
      stored.push_back(found ? words[static_cast<std::size_t>(place - from.begins.begin())]
                             : pool_.constant(0, to.widths[k]));
    }
    state.copies.add(CopyKind::bulk, tiles_.write(instruction, to, issue, choice.guard, stored));
  }
}

/// Run by run: each element of the tensor is an atomic of its own.
void TensorCopies::reduce_box(const Instruction& instruction, State& state, EventId issue,
                              const BoxChoice& choice) {
  const Operand& source = instruction.operand(Role::source_address);
  Instruction typed = instruction;
  typed.modifiers.type = reduced(instruction, choice);
  const Tile from = shared_tile(typed, source, addresses_.tile_location(source, state), choice,
                                {Space::shared_cta, 0, rules::kBulkAlignment, false, true});
  Words cells;
  const EventId read = tiles_.read(typed, from, issue, choice.guard, cells);
  state.copies.add(CopyKind::bulk, read);
  const Words words = reductions_.element_words(typed, from, cells);
  const std::int64_t element = typed.modifiers.type->bits / 8;
  const Location base = *layout_.locate(choice.fields[0]);
  for (const footprint::Run& run : choice.box.runs) {
    Location place = base;
    place.offset += run.global;
    const Tile to = tiles_.tile(typed, instruction.operand(Role::tensor), place,
                                {Space::global, run.bytes, 1, true, true});
    const auto first = words.begin() + run.shared / element;
    const Words operands(first, first + run.bytes / element);
    for (const EventId e : reductions_.reduce_tile(typed, to, issue, choice.guard, operands))
      state.copies.add(CopyKind::bulk, e);
  }
}

isa::Type TensorCopies::reduced(const Instruction& instruction, const BoxChoice& choice) const {
  const TensorElement element = footprint::map_element(choice.fields);
  const auto type = rules::reduced_type(instruction.modifiers.atomic, element);
  if (type) return *type;
  const std::string what = "`." + std::string(isa::name_of(instruction.modifiers.atomic)) +
                           "` of elements of type ." + std::string(isa::name_of(element));
  fail(instruction.position, what);
}

/// A hint, whatever it is called in the memory model (R152): no program could tell what it reads.
void TensorCopies::prefetch_tensor(const Instruction& instruction, State& state) {
  const Operand& tensor = instruction.operand(Role::tensor);
  tensor_places(instruction, state);
  const Operand map{std::get<program::TensorAddress>(tensor.value).map, tensor.position};
  const Location place = addresses_.tile_location(map, state);
  const Space own = layout_.space(place.variable);
  if (own != Space::global && own != Space::const_ && own != Space::param)
    fail(tensor.position, "a tensor map is in .global, .const or .param memory");
}

}  // namespace ptxmc::lower

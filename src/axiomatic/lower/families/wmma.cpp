// SPDX-License-Identifier: Apache-2.0
// wmma.load and wmma.store (9.7.13.3): a thread that stands for a warp moves a fragment between its registers, which
// stand for those of all lanes, and the lines of a matrix in memory. All of them are one weak access of the generic proxy
// (R235, D48). Which lane holds which element is not specified: registers are an opaque function of what was loaded, and
// what is stored one of them; a fragment of C that is stored as it was loaded is copied.
#include "axiomatic/lower/families/wmma.h"

#include <algorithm>

#include "axiomatic/lower/unit/matrix_values.h"
#include "ptx/footprint/matrix.h"
#include "ptx/isa/matrix.h"
#include "ptx/isa/table.h"

namespace ptxmc::lower {

/// The lines in memory, as one tile.
Tile Wmma::lines(const Instruction& instruction, const State& state, bool writes) {
  const Operand& operand = instruction.operand(Role::address);
  footprint::FragmentLayout layout = footprint::packed_fragment(instruction.modifiers.matrix);
  if (const Operand* stride = instruction.find(Role::count)) {
    layout.stride = registers_.constant_operand(state, *stride, "a stride");
    if (layout.stride < layout.elements || layout.stride * layout.bits % 8 != 0) {
      fail(stride->position, "stride " + std::to_string(layout.stride) + ", expected " +
                                 std::to_string(layout.elements) + " elements or more, in whole bytes");
    }
  }
  const Location first = addresses_.tile_location(operand, state);
  const std::vector<Range> ranges = footprint::fragment_lines(layout);
  const auto alignment = static_cast<std::uint32_t>(std::max(layout.bits / 8, 1));
  Tile whole{first.variable,
             addresses_.block(first),
             {first.offset, static_cast<std::uint32_t>(ranges.back().end())},
             {},
             {},
             {}};
  for (const Range& range : ranges) {
    Location place = first;
    place.offset += range.begin;
    const Tile part = tiles_.tile(instruction, operand, place,
                                  {instruction.modifiers.space, range.bytes, alignment, writes, false});
    whole.cells.insert(whole.cells.end(), part.cells.begin(), part.cells.end());
    whole.widths.insert(whole.widths.end(), part.widths.begin(), part.widths.end());
    for (const std::int64_t at : part.begins) whole.begins.push_back(range.begin + at);
  }
  return whole;
}

/// What the lines hold, as one opaque value.
Expr Wmma::contents(const Tile& tile, const Words& words) {
  Contents contents(pool_);
  for (std::size_t k = 0; k < words.size(); ++k) {
    constexpr std::int64_t kUnknown = 8;  // while the survey looks for cells
    const std::int64_t bytes = layout_.frozen() ? layout_.owners()[tile.cells[k]].range.bytes : kUnknown;
    contents.add(tile.begins[k], bytes, words[k]);
  }
  return contents.result();
}

void Wmma::load(const Instruction& instruction, State& state) {
  need_warp(instruction);
  const isa::Matrix& matrix = instruction.modifiers.matrix;
  const Tile from = lines(instruction, state, false);
  Words words;
  tiles_.read(instruction, from, event::kNoEvent, registers_.event_guard(instruction, state), words);
  isa::Modifiers meaning = instruction.modifiers;  // where the matrix lies is none of it
  meaning.space = isa::Space::generic;
  const Expr value =
      uninterpreted(pool_, isa::mnemonic(instruction.opcode, meaning), {contents(from, words)});
  const Operand& result = instruction.operand(Role::result);
  const int bits = isa::fragment_bits(matrix, isa::Fragment::d);
  fragments_.write_fragment(state, instruction, result, bits, value);
  if (matrix.fragment != 'c') return;
  std::vector<Expr> registers;
  for (const auto& element : std::get<program::VectorOperand>(result.value).elements) {
    const auto* r = std::get_if<program::Register>(&element);
    if (r == nullptr) return;
    registers.push_back(registers_.read_register(state, r->name).expr);
  }
  const Expr key = registers.front();
  loaded_.insert_or_assign(key, Loaded{std::move(registers), matrix, from, std::move(words)});
}

/// The load that these registers come from, of the same shape, elements and layout.
const Wmma::Loaded* Wmma::loaded(const isa::Matrix& matrix, const std::vector<Expr>& registers) const {
  const auto found = loaded_.find(registers.front());
  if (found == loaded_.end() || found->second.registers != registers) return nullptr;
  isa::Matrix as_loaded = matrix;
  as_loaded.fragment = 'c';
  return found->second.matrix == as_loaded ? &found->second : nullptr;
}

void Wmma::note_copy(const Tile& from, const Tile& to) {
  const bool apart =
      from.block != to.block || from.range.end() <= to.range.begin || to.range.end() <= from.range.begin;
  if (apart && from.range.bytes == to.range.bytes)
    layout_.note_copy(from.block, from.range.begin, to.block, to.range.begin, from.range.bytes);
}

void Wmma::store(const Instruction& instruction, State& state) {
  need_warp(instruction);
  const Tile to = lines(instruction, state, true);
  std::vector<Expr> values;
  fragments_.add_fragment(state, instruction.operand(Role::value),
                          isa::fragment_bits(instruction.modifiers.matrix, isa::Fragment::d), values);
  const Loaded* source = loaded(instruction.modifiers.matrix, values);
  if (source != nullptr) note_copy(source->from, to);
  const bool copies = source != nullptr && source->from.begins == to.begins;
  isa::Modifiers meaning = instruction.modifiers;
  meaning.space = isa::Space::generic;
  const std::string name = isa::mnemonic(instruction.opcode, meaning);
  Words words;
  for (std::size_t k = 0; k < to.cells.size(); ++k) {
    std::vector<Expr> arguments = values;
    arguments.push_back(pool_.constant(to.begins[k], 64));
    const Expr part = copies ? source->words[k] : uninterpreted(pool_, name, arguments);
    words.push_back(resize(pool_, {part, false}, to.widths[k]));
  }
  tiles_.write(instruction, to, event::kNoEvent, registers_.event_guard(instruction, state), words);
}

}  // namespace ptxmc::lower

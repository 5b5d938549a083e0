// SPDX-License-Identifier: Apache-2.0
// mma and mma.sp (9.7.13.4.14, 9.7.13.5.3), ldmatrix and stmatrix (9.7.13.4.15, 9.7.13.4.16).
//
// A thread that stands for a warp executes them; its registers stand for those of all lanes, so a fragment's
// register holds an opaque value: a function of the matrices that it comes from. ldmatrix and stmatrix access
// shared memory in program order, weakly, through the generic proxy (R235); the size of their elements is
// immaterial, as each row is 16 bytes that many lanes share (D48). The address is that of the first row, and
// the rows lie one behind the other.
#include "lower/families/matrices.h"

#include <algorithm>

#include "isa/matrix.h"
#include "isa/table.h"
#include "lower/unit/matrix_values.h"

namespace ptxmc::lower {

using isa::Fragment;

namespace {

constexpr std::int64_t kMatrixBytes = 128;  // 8 rows of 16 bytes
constexpr std::uint32_t kRowBytes = 16;

const std::vector<std::variant<program::Register, program::Integer, program::Sink>>& elements(
    const program::Operand& operand) {
  return std::get<program::VectorOperand>(operand.value).elements;
}

}  // namespace

void Matrices::product(const Instruction& instruction, State& state) {
  need_warp(instruction);
  const isa::Matrix& matrix = instruction.modifiers.matrix;
  std::vector<Expr> arguments;
  for (const Role role : {Role::a, Role::b, Role::c})
    fragments_.add_fragment(state, instruction.operand(role),
                            isa::fragment_bits(matrix, isa::fragment_of(role)), arguments);
  if (matrix.sparse) {
    fragments_.check_sparsity(instruction, state);
    for (const Role role : {Role::metadata, Role::selector})
      arguments.push_back(registers_.operand(state, instruction.operand(role), 32));
  }
  const Expr result =
      uninterpreted(pool_, isa::mnemonic(instruction.opcode, instruction.modifiers), arguments);
  fragments_.write_fragment(state, instruction, instruction.operand(Role::result),
                            isa::fragment_bits(matrix, Fragment::d), result);
}

void Matrices::load_matrix(const Instruction& instruction, State& state) {
  need_warp(instruction);
  const isa::Matrix& matrix = instruction.modifiers.matrix;
  const Operand& source = instruction.operand(Role::address);
  const Location first = addresses_.tile_location(source, state);
  const Expr guard = registers_.event_guard(instruction, state);
  Results results(registers_, instruction, state);
  for (std::uint32_t i = 0; i < matrix.count; ++i) {
    Location place = first;
    place.offset += i * kMatrixBytes;
    const Tile from =
        tiles_.tile(instruction, source, place, {isa::Space::shared, kMatrixBytes, kRowBytes, false, false});
    Words words;
    tiles_.read(instruction, from, event::kNoEvent, guard, words);
    Expr value = tile_contents(from, words);
    if (matrix.transposed) value = uninterpreted(pool_, "transposed", {value});
    const auto* r = std::get_if<program::Register>(&elements(instruction.operand(Role::result))[i]);
    if (!r) continue;
    const Expr fragment = upper_half(pool_, part_of(pool_, value, pool_.constant(0, 64)));
    loaded_.insert_or_assign(fragment, std::pair(from, words));
    results.write(r->name, source.position, {fragment, false});
  }
}

/// The contents of a tile, as one opaque value.
Expr Matrices::tile_contents(const Tile& tile, const Words& words) {
  Contents contents(pool_);
  for (std::size_t k = 0; k < words.size(); ++k) {
    const std::int64_t end = k + 1 < words.size() ? tile.begins[k + 1] : tile.range.bytes;
    contents.add(tile.begins[k], end - tile.begins[k], words[k]);
  }
  return contents.result();
}

/// Registers of a matrix that ldmatrix loaded store that matrix; others an opaque function of their value.
void Matrices::store_matrix(const Instruction& instruction, State& state) {
  need_warp(instruction);
  const isa::Matrix& matrix = instruction.modifiers.matrix;
  const Operand& target = instruction.operand(Role::address);
  const Location first = addresses_.tile_location(target, state);
  const Expr guard = registers_.event_guard(instruction, state);
  std::vector<Expr> values;
  fragments_.add_fragment(state, instruction.operand(Role::value), 32, values);
  for (std::uint32_t i = 0; i < matrix.count; ++i) {
    Location place = first;
    place.offset += i * kMatrixBytes;
    const Tile to =
        tiles_.tile(instruction, target, place, {isa::Space::shared, kMatrixBytes, kRowBytes, true, false});
    const auto known = loaded_.find(values[i]);
    bool copies = known != loaded_.end() && !matrix.transposed;
    if (copies) {
      const Tile& from = known->second.first;
      const bool apart =
          from.block != to.block || from.range.end() <= to.range.begin || to.range.end() <= from.range.begin;
      if (apart) layout_.note_copy(from.block, from.range.begin, to.block, to.range.begin, kMatrixBytes);
      copies = from.begins == to.begins;
    }
    Words words;
    for (std::size_t k = 0; k < to.cells.size(); ++k) {
      const Expr part = uninterpreted(pool_, matrix.transposed ? "column" : "row",
                                      {values[i], pool_.constant(to.begins[k], 64)});
      words.push_back(resize(pool_, {copies ? known->second.second[k] : part, false}, to.widths[k]));
    }
    tiles_.write(instruction, to, event::kNoEvent, guard, words);
  }
}

/// movmatrix (9.7.13.4.17): the transposed matrix, between the registers of a warp. Twice is the same again.
void Matrices::move_matrix(const Instruction& instruction, State& state) {
  need_warp(instruction);
  const Expr value = registers_.operand(state, instruction.operand(Role::a), 32);
  const auto known = transposed_.find(value);
  const Expr result = known != transposed_.end()
                          ? known->second
                          : upper_half(pool_, uninterpreted(pool_, "movmatrix.trans", {value}));
  transposed_.insert_or_assign(result, value);
  registers_.write_register(state, instruction, instruction.operand(Role::result), {result, false});
}

}  // namespace ptxmc::lower

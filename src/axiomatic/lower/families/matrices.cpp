// SPDX-License-Identifier: Apache-2.0
// mma and mma.sp (9.7.13.4.14, 9.7.13.5.3), ldmatrix and stmatrix (9.7.13.4.15, 9.7.13.4.16).
//
// A thread that stands for a warp executes them; its registers stand for those of all lanes, so a fragment's
// register holds an opaque value: a function of the matrices that it comes from. ldmatrix and stmatrix access
// shared memory in program order, weakly, through the generic proxy (R235); the size of their elements is
// immaterial, as each row is 16 bytes that many lanes share (D48). The address is that of the first row, and
// the rows lie one after the other.
#include "axiomatic/lower/families/matrices.h"

#include <algorithm>

#include "axiomatic/lower/unit/matrix_values.h"
#include "ptx/isa/matrix.h"
#include "ptx/isa/table.h"

namespace ptxmc::lower {

using isa::Fragment;

namespace {

constexpr std::uint32_t kRowBytes = 16;

/// Rows of 16 bytes in shared memory: 16 of an ldmatrix .m16n16, 8 of all others, also where shorter elements are padded.
std::uint32_t matrix_bytes(const isa::Matrix& matrix) {
  return (matrix.m == 16 && matrix.n == 16 ? 16 : 8) * kRowBytes;
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
  if (instruction.modifiers.tensor.block_scale) {
    for (const Role role : {Role::scale_a, Role::scale_b})
      arguments.push_back(registers_.operand(state, instruction.operand(role), 32));
    for (const Role role : {Role::scale_a_place, Role::scale_b_place})
      fragments_.add_fragment(state, instruction.operand(role), 16, arguments);
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
  const std::uint32_t bytes = matrix_bytes(matrix);
  const std::size_t registers = elements_of(instruction.operand(Role::result)).size() / matrix.count;
  Results results(registers_, instruction, state);
  for (std::uint32_t i = 0; i < matrix.count; ++i) {
    Location place = first;
    place.offset += std::int64_t{i} * bytes;
    const Tile from =
        tiles_.tile(instruction, source, place, {isa::Space::shared, bytes, kRowBytes, false, false});
    Words words;
    tiles_.read(instruction, from, event::kNoEvent, guard, words);
    const Expr value = arranged(instruction.modifiers, tile_contents(from, words));
    for (std::size_t k = 0; k < registers; ++k) {
      const auto* r =
          std::get_if<program::Register>(&elements_of(instruction.operand(Role::result))[i * registers + k]);
      if (!r) continue;
      const Expr fragment =
          upper_half(pool_, part_of(pool_, value, pool_.constant(static_cast<event::Value>(k), 64)));
      if (stores_alike(instruction.modifiers)) loaded_.insert_or_assign(fragment, std::pair(from, words));
      results.write(r->name, source.position, {fragment, false});
    }
  }
}

/// What registers hold of a matrix with these contents: transposed, with elements of 8 bits, made from shorter ones, or as
/// it is.
Expr Matrices::arranged(const isa::Modifiers& m, Expr contents) {
  if (m.matrix.transposed) contents = uninterpreted(pool_, "transposed", {contents});
  if (m.matrix.n == 16) contents = uninterpreted(pool_, "bytes", {contents});
  if (m.tensor.unpacked_from == 0) return contents;
  return uninterpreted(pool_, "unpacked", {contents, pool_.constant(m.tensor.unpacked_from, 64)});
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

/// Do ldmatrix and stmatrix with these modifiers put the same elements into the same lanes?
bool Matrices::stores_alike(const isa::Modifiers& m) {
  return m.matrix.m == 8 && m.matrix.n == 8 && !m.matrix.transposed;
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
  const std::uint32_t bytes = matrix_bytes(matrix);
  for (std::uint32_t i = 0; i < matrix.count; ++i) {
    Location place = first;
    place.offset += std::int64_t{i} * bytes;
    const Tile to =
        tiles_.tile(instruction, target, place, {isa::Space::shared, bytes, kRowBytes, true, false});
    const auto known = loaded_.find(values[i]);
    bool copies = known != loaded_.end() && stores_alike(instruction.modifiers);
    if (copies) {
      const Tile& from = known->second.first;
      const bool apart =
          from.block != to.block || from.range.end() <= to.range.begin || to.range.end() <= from.range.begin;
      if (apart) layout_.note_copy(from.block, from.range.begin, to.block, to.range.begin, bytes);
      copies = from.begins == to.begins;
    }
    Words words;
    for (std::size_t k = 0; k < to.cells.size(); ++k) {
      const char* share = matrix.m == 16 ? "column of bytes" : matrix.transposed ? "column" : "row";
      const Expr part = uninterpreted(pool_, share, {values[i], pool_.constant(to.begins[k], 64)});
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

// SPDX-License-Identifier: Apache-2.0
// mma and mma.sp (9.7.13.4.14, 9.7.13.5.3), ldmatrix and stmatrix (9.7.13.4.15, 9.7.13.4.16).
//
// A thread that stands for a warp executes them; its registers stand for those of all lanes, so a fragment's
// register holds an opaque value: a function of the matrices that it comes from. ldmatrix and stmatrix access
// shared memory in program order, weakly, through the generic proxy (R235); the size of their elements is
// immaterial, as each row is 16 bytes that many lanes share (D48). The address is that of the first row, and
// the rows lie one behind the other.
#include "isa/matrix.h"

#include <algorithm>

#include "isa/table.h"
#include "lower/matrix_values.h"
#include "lower/thread.h"

namespace ptxmc::lower {

using event::Event;
using event::EventKind;
using event::Expr;
using event::Op;
using isa::Element;
using isa::Fragment;

namespace {

constexpr std::uint32_t kMatrixBytes = 128;  // 8 rows of 16 bytes
constexpr std::uint32_t kRowBytes = 16;
constexpr std::uint32_t kAllLanes = ~std::uint32_t{0};

const std::vector<std::variant<program::Register, program::Integer, program::Sink>>& elements(
    const program::Operand& operand) {
  return std::get<program::VectorOperand>(operand.value).elements;
}

/// 9.7.13.5.1, 9.7.14.6.1: what four bits of metadata may say.
bool is_meaningful(const isa::Matrix& matrix, event::Value bits) {
  if (matrix.a == Element::tf32) return bits == 0b1110 || bits == 0b0100;
  const event::Value first = bits & 3, second = bits >> 2;
  return matrix.ordered ? first < second : first != second;
}

/// Four threads hold the metadata of a row, or two pairs, or all of them together: the selector says which
/// do.
bool is_selector(const isa::Matrix& matrix, event::Value selector) {
  constexpr event::Value kShortRow = 256;  // bits
  const event::Value row = event::Value{matrix.k} * bits_of(matrix.a);
  return selector < (bits_of(matrix.a) >= 16 ? 4 : 2) / (row / kShortRow);
}

}  // namespace

void ThreadLowering::need_warp(const Instruction& instruction) const {
  if (info_.lanes == kAllLanes) return;
  unit_.errors.unsupported(instruction.position,
                           "`" + instruction.text +
                               "` by a single lane; a thread that has its warp to itself, "
                               "and names no lane, stands for all 32");
}

/// The registers of a fragment, and numbers, as arguments of a function.
void ThreadLowering::add_fragment(const State& state, const Operand& operand, int bits,
                                  std::vector<Expr>& arguments) {
  for (const auto& element : elements(operand)) {
    Operand one;
    one.position = operand.position;
    std::visit([&](const auto& value) { one.value = value; }, element);
    arguments.push_back(this->operand(state, one, static_cast<Width>(bits)));
  }
}

void ThreadLowering::write_fragment(State& state, const Instruction& instruction, const Operand& operand,
                                    int bits, Expr value) {
  auto& pool = unit_.pool();
  const State before = state;  // the guard of the instruction is read before any destination is written
  event::Value number = 0;
  for (const auto& element : elements(operand)) {
    const auto* r = std::get_if<program::Register>(&element);
    const Expr part = part_of(pool, value, pool.constant(number++, 64));
    if (!r) continue;
    State written = before;
    write_named(written, instruction, r->name, operand.position,
                {bits == 32 ? upper_half(pool, part) : part, false});
    state.registers[register_index(r->name)] = written.registers[register_index(r->name)];
  }
}

/// Constant metadata and the selector of a sparse product: other values than the manual's are undefined
/// behaviour.
void ThreadLowering::check_sparsity(const Instruction& instruction, const State& state) {
  auto& pool = unit_.pool();
  const isa::Matrix& matrix = instruction.modifiers.matrix;
  const Expr metadata = operand(state, instruction.operand(Role::metadata), 32);
  const Operand& chosen = instruction.operand(Role::selector);
  const auto selector = std::get<program::Integer>(chosen.value).value;
  if (selector < 0 || selector > 3) fail(chosen.position, "a sparsity selector is 0 to 3");
  bool good = is_selector(matrix, selector);
  if (pool.is_constant(metadata)) {
    for (int at = 0; at < 32; at += 4)
      good = good && is_meaningful(matrix, pool[metadata].constant >> at & 15);
  }
  if (good) return;
  unit_.graph.misuses.push_back(
      {"sparsity-metadata", event_guard(instruction, state), instruction.position, instruction.text});
}

void ThreadLowering::product(const Instruction& instruction, State& state) {
  need_warp(instruction);
  const isa::Matrix& matrix = instruction.modifiers.matrix;
  std::vector<Expr> arguments;
  for (const Role role : {Role::a, Role::b, Role::c})
    add_fragment(state, instruction.operand(role), isa::fragment_bits(matrix, isa::fragment_of(role)),
                 arguments);
  if (matrix.sparse) {
    check_sparsity(instruction, state);
    for (const Role role : {Role::metadata, Role::selector})
      arguments.push_back(operand(state, instruction.operand(role), 32));
  }
  const Expr result =
      uninterpreted(unit_.pool(), isa::mnemonic(instruction.opcode, instruction.modifiers), arguments);
  write_fragment(state, instruction, instruction.operand(Role::result),
                 isa::fragment_bits(matrix, Fragment::d), result);
}

void ThreadLowering::load_matrix(const Instruction& instruction, State& state) {
  need_warp(instruction);
  auto& pool = unit_.pool();
  const isa::Matrix& matrix = instruction.modifiers.matrix;
  const Operand& source = instruction.operand(Role::address);
  const Location first = tile_location(source, state);
  const Expr guard = event_guard(instruction, state);
  const State before = state;
  for (std::uint32_t i = 0; i < matrix.count; ++i) {
    Location place = first;
    place.offset += i * kMatrixBytes;
    const Tile from =
        tile(instruction, source, place, {isa::Space::shared, kMatrixBytes, kRowBytes, false, false});
    Words words;
    add_tile_read(tile_event(EventKind::read, instruction, from, event::kNoEvent, guard), from, words);
    Expr value = tile_contents(from, words);
    if (matrix.transposed) value = uninterpreted(pool, "transposed", {value});
    const auto* r = std::get_if<program::Register>(&elements(instruction.operand(Role::result))[i]);
    if (!r) continue;
    const Expr fragment = upper_half(pool, part_of(pool, value, pool.constant(0, 64)));
    fragments_.insert_or_assign(fragment, std::pair(from, words));
    State written = before;
    write_named(written, instruction, r->name, source.position, {fragment, false});
    state.registers[register_index(r->name)] = written.registers[register_index(r->name)];
  }
}

/// The contents of a tile, as one opaque value.
Expr ThreadLowering::tile_contents(const Tile& tile, const Words& words) {
  Contents contents(unit_.pool());
  for (std::size_t k = 0; k < words.size(); ++k) {
    const std::int64_t end = k + 1 < words.size() ? tile.begins[k + 1] : tile.range.bytes;
    contents.add(tile.begins[k], end - tile.begins[k], words[k]);
  }
  return contents.result();
}

/// Registers of a matrix that ldmatrix loaded store that matrix; others an opaque function of their value.
void ThreadLowering::store_matrix(const Instruction& instruction, State& state) {
  need_warp(instruction);
  auto& pool = unit_.pool();
  const isa::Matrix& matrix = instruction.modifiers.matrix;
  const Operand& target = instruction.operand(Role::address);
  const Location first = tile_location(target, state);
  const Expr guard = event_guard(instruction, state);
  std::vector<Expr> values;
  add_fragment(state, instruction.operand(Role::value), 32, values);
  for (std::uint32_t i = 0; i < matrix.count; ++i) {
    Location place = first;
    place.offset += i * kMatrixBytes;
    const Tile to =
        tile(instruction, target, place, {isa::Space::shared, kMatrixBytes, kRowBytes, true, false});
    const auto known = fragments_.find(values[i]);
    bool copies = known != fragments_.end() && !matrix.transposed;
    if (copies) {
      const Tile& from = known->second.first;
      const bool apart =
          from.block != to.block || from.range.end() <= to.range.begin || to.range.end() <= from.range.begin;
      if (apart) unit_.layout.note_copy(from.block, from.range.begin, to.block, to.range.begin, kMatrixBytes);
      copies = from.begins == to.begins;
    }
    Words words;
    for (std::size_t k = 0; k < to.cells.size(); ++k) {
      const Expr part = uninterpreted(pool, matrix.transposed ? "column" : "row",
                                      {values[i], pool.constant(to.begins[k], 64)});
      words.push_back(resize(pool, {copies ? known->second.second[k] : part, false}, to.widths[k]));
    }
    add_tile_write(tile_event(EventKind::write, instruction, to, event::kNoEvent, guard), to, words);
  }
}

/// movmatrix (9.7.13.4.17): the transposed matrix, between the registers of a warp. Twice is the same again.
void ThreadLowering::move_matrix(const Instruction& instruction, State& state) {
  need_warp(instruction);
  auto& pool = unit_.pool();
  const Expr value = operand(state, instruction.operand(Role::a), 32);
  const auto known = transposed_.find(value);
  const Expr result = known != transposed_.end()
                          ? known->second
                          : upper_half(pool, uninterpreted(pool, "movmatrix.trans", {value}));
  transposed_.insert_or_assign(result, value);
  write_register(state, instruction, instruction.operand(Role::result), {result, false});
}

}  // namespace ptxmc::lower

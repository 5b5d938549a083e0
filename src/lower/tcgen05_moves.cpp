// SPDX-License-Identifier: Apache-2.0
// tcgen05.ld and .st (9.7.16.8), cp and shift (9.7.16.9): asynchronous; an issue event in program order, and
// accesses beside it.
#include "isa/table.h"
#include "lower/matrix_values.h"
#include "lower/thread.h"

namespace ptxmc::lower {

using event::EventId;
using event::EventKind;
using event::Expr;
using event::Op;
using event::TensorOp;

namespace {

constexpr std::size_t kNamedRegisters = 4;  // of a load: so many have cells of their own

/// immHalfSplitoff of .16x32bx2; zero of other shapes.
std::int64_t second_half(const program::Instruction& instruction) {
  const program::Operand* split = instruction.find(isa::Role::half_split);
  return split == nullptr ? 0 : std::get<program::Integer>(split->value).value;
}

/// The columns of a register, one by one: .pack::16b and .unpack::16b tell them apart.
TensorRegion columns_of(const TensorRegion& region, std::int64_t column) {
  TensorRegion out;
  for (TensorBox box : region) {
    box.column += column;
    box.columns = 1;
    out.push_back(box);
  }
  return out;
}

}  // namespace

void ThreadLowering::tensor_load(const Instruction& instruction, State& state) {
  auto& pool = unit_.pool();
  const isa::Modifiers& m = instruction.modifiers;
  const isa::Tensor& t = m.tensor;
  const std::int64_t second = second_half(instruction);
  const Operand& to = instruction.operand(Role::result);
  const auto& registers = std::get<program::VectorOperand>(to.value).elements;
  std::vector<Expr> results(registers.size(), pool.constant(0, 32));
  const Expr address = tensor_operand(state, instruction.operand(Role::address));
  for (const TensorBinding& binding : bind_tensor(instruction, state, {address})) {
    const TensorAddress at = binding.addresses.front();
    const TensorRegion region = move_region(t, at, second);
    check_region(instruction, info_.cta, region, binding.guard);
    check_lanes(instruction, at, binding.guard);
    for (std::size_t i = 0; i < registers.size() && registers.size() <= kNamedRegisters; ++i) {
      const TensorRegion own = register_region(t, at, second, i);
      unit_.layout.note_tensor(info_.cta, own);
      if (t.packs) unit_.layout.note_tensor(info_.cta, columns_of(own, 0));
    }
    const EventId issue = tensor_issue(instruction, TensorOp::ld, binding.guard);
    TensorValues values;
    state.tensor.loads.push_back(tensor_access(EventKind::read, instruction, info_.cta, region, issue,
                                               binding.guard, nullptr, &values));
    for (std::size_t i = 0; i < registers.size(); ++i) {
      const Expr value = register_value(t, values, register_region(t, at, second, i));
      results[i] = pool.make(Op::ite, 32, binding.here, value, results[i]);
    }
  }
  const State before = state;
  const auto write = [&](const std::string& name, Position position, Expr value) {
    State written = before;
    write_named(written, instruction, name, position, {value, false});
    state.registers[register_index(name)] = written.registers[register_index(name)];
  };
  for (std::size_t i = 0; i < registers.size(); ++i) {
    if (const auto* r = std::get_if<program::Register>(&registers[i]))
      write(r->name, to.position, results[i]);
  }
  const Operand* reduced = instruction.find(Role::reduced);
  if (reduced == nullptr) return;
  if (const auto* r = std::get_if<program::Register>(&reduced->value)) {
    const std::string name = isa::mnemonic(instruction.opcode, m);
    write(r->name, reduced->position, upper_half(pool, uninterpreted(pool, name, results)));
  }
}

void ThreadLowering::tensor_store(const Instruction& instruction, State& state) {
  auto& pool = unit_.pool();
  const isa::Tensor& t = instruction.modifiers.tensor;
  const std::int64_t second = second_half(instruction);
  std::vector<Expr> sources;
  add_fragment(state, instruction.operand(Role::value), 32, sources);
  const Expr address = tensor_operand(state, instruction.operand(Role::address));
  for (const TensorBinding& binding : bind_tensor(instruction, state, {address})) {
    const TensorAddress at = binding.addresses.front();
    const TensorRegion region = move_region(t, at, second);
    check_region(instruction, info_.cta, region, binding.guard);
    check_lanes(instruction, at, binding.guard);
    std::vector<TensorRegion> parts;  // what each source goes to
    for (std::size_t i = 0; i < sources.size(); ++i) {
      parts.push_back(register_region(t, at, second, i));
      unit_.layout.note_tensor(info_.cta, parts.back());
      if (t.packs) unit_.layout.note_tensor(info_.cta, columns_of(parts.back(), 0));
    }
    const auto stored = [&](event::CellId cell) {
      if (!unit_.layout.frozen()) return sources.front();
      const TensorBox& box = unit_.layout.tensor_cell(cell).boxes.front();
      for (std::size_t i = 0; i < parts.size(); ++i) {
        for (const TensorBox& part : parts[i]) {
          if (!overlap(box, part)) continue;
          if (!t.packs) return sources[i];
          const bool high = (box.column - part.column) % 2 == 1;  // 9.7.16.8.2
          return high ? pool.make(Op::shr_u, 32, sources[i], pool.constant(16, 32))
                      : pool.make(Op::and_, 32, sources[i], pool.constant(0xffff, 32));
        }
      }
      return pool.constant(0, 32);
    };
    const EventId issue = tensor_issue(instruction, TensorOp::st, binding.guard);
    state.tensor.stores.push_back(tensor_access(EventKind::write, instruction, info_.cta, region, issue,
                                                binding.guard, stored, nullptr));
  }
}

/// Each CTA of a pair copies from its own shared memory, at the same offset, to its own tensor memory.
void ThreadLowering::tensor_copy(const Instruction& instruction, State& state) {
  auto& pool = unit_.pool();
  const isa::Tensor& t = instruction.modifiers.tensor;
  const footprint::CopySource source = footprint::copy_source(t);
  const Expr address = tensor_operand(state, instruction.operand(Role::address));
  for (const TensorBinding& binding : bind_tensor(instruction, state, {address})) {
    const TensorAddress at = binding.addresses.front();
    const bool rows = t.shape == isa::TensorShape::l4x256b;
    const EventId issue = tensor_issue(instruction, rows ? TensorOp::cp_4x256b : TensorOp::cp, binding.guard);
    for (const std::uint32_t cta : tensor_ctas(instruction)) {
      const TensorRegion region = copy_region(t, at);
      check_region(instruction, cta, region, binding.guard);
      std::vector<EventId> accesses;
      const Expr contents = read_shared_matrix(instruction, instruction.operand(Role::a), state,
                                               {source.rows, source.bytes, 8}, false, issue, cta, accesses);
      const Expr copied =
          uninterpreted(pool, isa::mnemonic(instruction.opcode, instruction.modifiers), {contents});
      const Expr zero = pool.constant(0, 32);
      const Expr empty = pool.make(Op::eq, 1, contents, pool.constant(0, 64));
      const auto value = [&](event::CellId cell) {
        return pool.make(Op::ite, 32, empty, zero,
                         upper_half(pool, part_of(pool, copied, place_in(cell, at))));
      };
      accesses.push_back(
          tensor_access(EventKind::write, instruction, cta, region, issue, binding.guard, value, nullptr));
      auto& tracked = state.tensor.tracked.at(t.cta_group - 1U);
      tracked.insert(tracked.end(), accesses.begin(), accesses.end());
    }
  }
}

void ThreadLowering::tensor_shift(const Instruction& instruction, State& state) {
  constexpr std::int64_t kLanes = 32;
  auto& pool = unit_.pool();
  const isa::Tensor& t = instruction.modifiers.tensor;
  const Expr address = tensor_operand(state, instruction.operand(Role::address));
  for (const TensorBinding& binding : bind_tensor(instruction, state, {address})) {
    const TensorAddress at = binding.addresses.front();
    if (at.lane % kLanes != 0) {
      unit_.graph.misuses.push_back(
          {"tensor-memory-lanes", binding.guard, instruction.position, instruction.text});
    }
    const EventId issue = tensor_issue(instruction, TensorOp::shift, binding.guard);
    for (const std::uint32_t cta : tensor_ctas(instruction)) {
      const TensorRegion region = shift_region(at);
      check_region(instruction, cta, region, binding.guard);
      TensorValues values;
      const EventId read =
          tensor_access(EventKind::read, instruction, cta, region, issue, binding.guard, nullptr, &values);
      const Expr shifted = uninterpreted(pool, "shift", {tensor_contents(values, at)});
      const auto value = [&](event::CellId cell) {
        return upper_half(pool, part_of(pool, shifted, place_in(cell, at)));
      };
      const EventId write =
          tensor_access(EventKind::write, instruction, cta, region, issue, binding.guard, value, nullptr);
      join_halves(read, write);
      auto& tracked = state.tensor.tracked.at(t.cta_group - 1U);
      tracked.insert(tracked.end(), {read, write});
    }
  }
}

}  // namespace ptxmc::lower

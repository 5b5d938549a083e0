// SPDX-License-Identifier: Apache-2.0
// tcgen05.ld and .st (9.7.16.8), cp and shift (9.7.16.9): asynchronous; an issue event in program order, and
// accesses beside it.
#include "axiomatic/lower/families/tcgen05_moves.h"

#include "axiomatic/lower/unit/matrix_values.h"
#include "finding/rules.h"
#include "ptx/isa/table.h"

namespace ptxmc::lower {

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

void Tcgen05Moves::tensor_load(const Instruction& instruction, State& state) {
  const isa::Modifiers& m = instruction.modifiers;
  const isa::Tensor& t = m.tensor;
  const std::int64_t second = second_half(instruction);
  const Operand& to = instruction.operand(Role::result);
  const auto& registers = std::get<program::VectorOperand>(to.value).elements;
  std::vector<Expr> results(registers.size(), pool_.constant(0, 32));
  const Expr address = memory_.tensor_operand(state, instruction.operand(Role::address));
  for (const TensorBinding& binding : memory_.bind_tensor(instruction, state, {address})) {
    const TensorAddress at = memory_.move_start(instruction, binding.addresses.front(), binding.guard);
    const TensorRegion region = move_region(t, at, second);
    memory_.check_region(instruction, info_.cta, region, binding.guard);
    for (std::size_t i = 0; i < registers.size() && registers.size() <= kNamedRegisters; ++i) {
      const TensorRegion own = register_region(t, at, second, i);
      layout_.note_tensor(info_.cta, own);
      if (t.packs) layout_.note_tensor(info_.cta, columns_of(own, 0));
    }
    const EventId issue = memory_.tensor_issue(instruction, TensorOp::ld, binding.guard);
    TensorValues values;
    state.tensor.loads.push_back(memory_.tensor_access(EventKind::read, instruction, info_.cta, region, issue,
                                                       binding.guard, nullptr, &values));
    for (std::size_t i = 0; i < registers.size(); ++i) {
      const Expr value = memory_.register_value(t, values, register_region(t, at, second, i));
      results[i] = pool_.make(Op::ite, 32, binding.here, value, results[i]);
    }
  }
  Results written(registers_, instruction, state);
  for (std::size_t i = 0; i < registers.size(); ++i) {
    if (const auto* r = std::get_if<program::Register>(&registers[i]))
      written.write(r->name, to.position, {results[i], false});
  }
  const Operand* reduced = instruction.find(Role::reduced);
  if (reduced == nullptr) return;
  if (const auto* r = std::get_if<program::Register>(&reduced->value)) {
    const std::string name = isa::mnemonic(instruction.opcode, m);
    written.write(r->name, reduced->position,
                  {upper_half(pool_, uninterpreted(pool_, name, results)), false});
  }
}

void Tcgen05Moves::tensor_store(const Instruction& instruction, State& state) {
  const isa::Tensor& t = instruction.modifiers.tensor;
  const std::int64_t second = second_half(instruction);
  std::vector<Expr> sources;
  fragments_.add_fragment(state, instruction.operand(Role::value), 32, sources);
  const Expr address = memory_.tensor_operand(state, instruction.operand(Role::address));
  for (const TensorBinding& binding : memory_.bind_tensor(instruction, state, {address})) {
    const TensorAddress at = memory_.move_start(instruction, binding.addresses.front(), binding.guard);
    const TensorRegion region = move_region(t, at, second);
    memory_.check_region(instruction, info_.cta, region, binding.guard);
    std::vector<TensorRegion> parts;  // what each source goes to
    for (std::size_t i = 0; i < sources.size(); ++i) {
      parts.push_back(register_region(t, at, second, i));
      layout_.note_tensor(info_.cta, parts.back());
      if (t.packs) layout_.note_tensor(info_.cta, columns_of(parts.back(), 0));
    }
    const auto stored = [&](event::CellId cell) {
      if (!layout_.frozen()) return sources.front();
      const TensorBox& box = layout_.tensor_cell(cell).boxes.front();
      for (std::size_t i = 0; i < parts.size(); ++i) {
        for (const TensorBox& part : parts[i]) {
          if (!overlap(box, part)) continue;
          if (!t.packs) return sources[i];
          const bool high = (box.column - part.column) % 2 == 1;  // 9.7.16.8.2
          return high ? pool_.make(Op::shr_u, 32, sources[i], pool_.constant(16, 32))
                      : pool_.make(Op::and_, 32, sources[i], pool_.constant(0xffff, 32));
        }
      }
      return pool_.constant(0, 32);
    };
    const EventId issue = memory_.tensor_issue(instruction, TensorOp::st, binding.guard);
    state.tensor.stores.push_back(memory_.tensor_access(EventKind::write, instruction, info_.cta, region,
                                                        issue, binding.guard, stored, nullptr));
  }
}

/// Each CTA of a pair copies from its own shared memory, at the same offset, to its own tensor memory.
void Tcgen05Moves::tensor_copy(const Instruction& instruction, State& state) {
  const isa::Tensor& t = instruction.modifiers.tensor;
  const footprint::CopySource source = footprint::copy_source(t);
  const Expr address = memory_.tensor_operand(state, instruction.operand(Role::address));
  for (const TensorBinding& binding : memory_.bind_tensor(instruction, state, {address})) {
    const TensorAddress at = binding.addresses.front();
    const bool rows = t.shape == isa::TensorShape::l4x256b;
    const EventId issue =
        memory_.tensor_issue(instruction, rows ? TensorOp::cp_4x256b : TensorOp::cp, binding.guard);
    for (const std::uint32_t cta : memory_.tensor_ctas(instruction)) {
      const TensorRegion region = copy_region(t, at);
      memory_.check_region(instruction, cta, region, binding.guard);
      std::vector<EventId> accesses;
      const Expr contents =
          shared_.read_shared_matrix(instruction, instruction.operand(Role::a), state,
                                     {source.rows, source.bytes, 8}, false, issue, cta, accesses);
      const Expr copied =
          uninterpreted(pool_, isa::mnemonic(instruction.opcode, instruction.modifiers), {contents});
      const Expr zero = pool_.constant(0, 32);
      const Expr empty = pool_.make(Op::eq, 1, contents, pool_.constant(0, 64));
      const auto value = [&](event::CellId cell) {
        return pool_.make(Op::ite, 32, empty, zero,
                          upper_half(pool_, part_of(pool_, copied, memory_.place_in(cell, at))));
      };
      accesses.push_back(memory_.tensor_access(EventKind::write, instruction, cta, region, issue,
                                               binding.guard, value, nullptr));
      auto& tracked = state.tensor.tracked.at(t.cta_group - 1U);
      tracked.insert(tracked.end(), accesses.begin(), accesses.end());
    }
  }
}

void Tcgen05Moves::tensor_shift(const Instruction& instruction, State& state) {
  constexpr std::int64_t kLanes = 32;
  const isa::Tensor& t = instruction.modifiers.tensor;
  const Expr address = memory_.tensor_operand(state, instruction.operand(Role::address));
  for (const TensorBinding& binding : memory_.bind_tensor(instruction, state, {address})) {
    const TensorAddress at = binding.addresses.front();
    if (at.lane % kLanes != 0) {
      misuse(finding::RuleId::tensor_memory_lanes, binding.guard, instruction);
    }
    const EventId issue = memory_.tensor_issue(instruction, TensorOp::shift, binding.guard);
    for (const std::uint32_t cta : memory_.tensor_ctas(instruction)) {
      const TensorRegion region = shift_region(at);
      memory_.check_region(instruction, cta, region, binding.guard);
      TensorValues values;
      const EventId read = memory_.tensor_access(EventKind::read, instruction, cta, region, issue,
                                                 binding.guard, nullptr, &values);
      const Expr shifted = uninterpreted(pool_, "shift", {memory_.tensor_contents(values, at)});
      const auto value = [&](event::CellId cell) {
        return upper_half(pool_, part_of(pool_, shifted, memory_.place_in(cell, at)));
      };
      const EventId write = memory_.tensor_access(EventKind::write, instruction, cta, region, issue,
                                                  binding.guard, value, nullptr);
      memory_.join_halves(read, write);
      auto& tracked = state.tensor.tracked.at(t.cta_group - 1U);
      tracked.insert(tracked.end(), {read, write});
    }
  }
}

}  // namespace ptxmc::lower

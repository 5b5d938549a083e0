// SPDX-License-Identifier: Apache-2.0
// wgmma.mma_async (9.7.14.5.2, 9.7.14.6.4), wgmma.fence, commit_group and wait_group (9.7.14.7).
//
// A litmus thread that executes them stands for the warpgroup. The operation reads its operands in shared
// memory through the async proxy, off program order; it starts at a wgmma.fence or proxy fence before it, not
// at the instruction (R244), which the model text says of its issue event. Groups are those of copy_groups.h.
#include "axiomatic/lower/families/wgmma.h"

#include <algorithm>

#include "axiomatic/lower/memory/descriptor_bits.h"
#include "axiomatic/lower/unit/matrix_values.h"
#include "ptx/isa/matrix.h"
#include "ptx/isa/opcode.h"
#include "ptx/isa/table.h"

namespace ptxmc::lower {

using event::Value;
using footprint::MatrixSize;

Expr Wgmma::read_matrix(const Instruction& instruction, const Operand& operand, State& state,
                        const MatrixSize& size, bool transposed, EventId issue) {
  std::vector<EventId> reads;
  const Expr contents =
      shared_.read_shared_matrix(instruction, operand, state, size, transposed, issue, info_.cta, reads);
  for (const EventId read : reads) state.copies.add(CopyKind::wgmma, read);
  return contents;
}

/// imm-scale-a, imm-scale-b, imm-trans-a, imm-trans-b, as far as the types have them.
Wgmma::WgmmaNumbers Wgmma::wgmma_numbers(const Instruction& instruction) const {
  const bool in_memory = registers_of(instruction.operand(Role::a)).empty();
  const auto number = [&](Role role, Value one, Value other) -> std::optional<Value> {
    const Operand* operand = instruction.find(role);
    if (operand == nullptr) return std::nullopt;
    const Value value = std::get<program::Integer>(operand->value).value;
    if (value != one && value != other) {
      fail(operand->position, "expected " + std::to_string(one) + " or " + std::to_string(other) +
                                  ", found " + std::to_string(value));
    }
    return value;
  };
  WgmmaNumbers numbers;
  for (const Role role : {Role::scale_a, Role::scale_b}) {
    if (const auto scale = number(role, 1, -1)) numbers.text += " " + std::to_string(*scale);
  }
  if (instruction.find(Role::transpose_b) == nullptr) return numbers;
  if ((instruction.find(Role::transpose_a) != nullptr) != in_memory) {
    fail(instruction.position,
         in_memory ? "imm-trans-a and imm-trans-b are expected" : "A is in registers and has no imm-trans-a");
  }
  numbers.transpose_a = number(Role::transpose_a, 0, 1) == 1;
  numbers.transpose_b = number(Role::transpose_b, 0, 1) == 1;
  return numbers;
}

void Wgmma::wgmma(const Instruction& instruction, State& state) {
  need_warp(instruction);
  const isa::Matrix& matrix = instruction.modifiers.matrix;
  const WgmmaNumbers numbers = wgmma_numbers(instruction);
  const Expr guard = registers_.event_guard(instruction, state);
  const EventId issue = completions_.issue_event(instruction, guard);
  graph_.events[issue].labels.wgmma = true;

  const Operand& d = instruction.operand(Role::result);
  const Operand& a = instruction.operand(Role::a);
  const Operand& b = instruction.operand(Role::b);
  std::vector<Expr> arguments;
  if (registers_of(a).empty()) {
    const MatrixSize size{matrix.m, matrix.sparse ? matrix.k / 2 : matrix.k, bits_of(matrix.a)};
    arguments.push_back(read_matrix(instruction, a, state, size, numbers.transpose_a, issue));
  } else {
    fragments_.add_fragment(state, a, 32, arguments);
  }
  const MatrixSize size{matrix.n, matrix.k, bits_of(matrix.b)};
  arguments.push_back(read_matrix(instruction, b, state, size, numbers.transpose_b, issue));
  WgmmaUse use{static_cast<EventId>(graph_.size() - 1), guard, matrix, registers_of(d), registers_of(a)};
  uses_.use_registers(instruction, state, use);
  if (matrix.sparse) {
    fragments_.check_sparsity(instruction, state);
    for (const Role role : {Role::metadata, Role::selector})
      arguments.push_back(registers_.operand(state, instruction.operand(role), 32));
  }
  const std::string name = isa::mnemonic(instruction.opcode, instruction.modifiers) + numbers.text;
  const Expr fresh = uninterpreted(pool_, name, arguments);
  fragments_.add_fragment(state, d, 32, arguments);
  const Expr added = uninterpreted(pool_, name + " + D", arguments);
  const Expr accumulates = registers_.predicate_operand(state, instruction.operand(Role::enable_d));
  fragments_.write_fragment(state, instruction, d, 32,
                            pool_.make(event::Op::ite, 64, accumulates, added, fresh));
  state.matrices.uses.push_back(std::move(use));
  const auto first = state.matrices.unfenced.find(kFirstOperation);
  const Expr skipped = pool_.negation(registers_.predicate(instruction, state));
  if (first != state.matrices.unfenced.end()) first->second = pool_.conjunction(first->second, skipped);
}

void Wgmma::wgmma_fence(const Instruction& instruction, State& state) {
  Event fence = new_event(EventKind::group, instruction, registers_.event_guard(instruction, state));
  fence.labels.wgmma = true;
  unit_.add_event(std::move(fence));
  const Expr skipped = pool_.negation(registers_.predicate(instruction, state));
  for (auto& [name, unfenced] : state.matrices.unfenced) unfenced = pool_.conjunction(unfenced, skipped);
}

}  // namespace ptxmc::lower

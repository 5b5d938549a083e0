// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/lower/families/fragments.h"

#include "axiomatic/lower/unit/matrix_values.h"
#include "finding/rules.h"

namespace ptxmc::lower {

using isa::Element;

namespace {

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

/// The registers of a fragment, and numbers, as arguments of a function.
void Fragments::add_fragment(const State& state, const Operand& operand, int bits,
                             std::vector<Expr>& arguments) {
  for (const auto& element : elements_of(operand)) {
    Operand one;
    one.position = operand.position;
    std::visit([&](const auto& value) { one.value = value; }, element);
    arguments.push_back(registers_.operand(state, one, static_cast<Width>(bits)));
  }
}

void Fragments::write_fragment(State& state, const Instruction& instruction, const Operand& operand, int bits,
                               Expr value) {
  Results results(registers_, instruction, state);
  event::Value number = 0;
  for (const auto& element : elements_of(operand)) {
    const auto* r = std::get_if<program::Register>(&element);
    const Expr part = part_of(pool_, value, pool_.constant(number++, 64));
    if (!r) continue;
    results.write(r->name, operand.position, {bits == 32 ? upper_half(pool_, part) : part, false});
  }
}

/// Constant metadata and the selector of a sparse product: other values than the manual's are undefined
/// behaviour.
void Fragments::check_sparsity(const Instruction& instruction, const State& state) {
  const isa::Matrix& matrix = instruction.modifiers.matrix;
  const Expr metadata = registers_.operand(state, instruction.operand(Role::metadata), 32);
  const Operand& chosen = instruction.operand(Role::selector);
  const auto selector = std::get<program::Integer>(chosen.value).value;
  if (selector < 0 || selector > 3) fail(chosen.position, "a sparsity selector is 0 to 3");
  bool good = is_selector(matrix, selector);
  if (pool_.is_constant(metadata)) {
    for (int at = 0; at < 32; at += 4)
      good = good && is_meaningful(matrix, pool_[metadata].constant >> at & 15);
  }
  if (good) return;
  misuse(finding::RuleId::sparsity_metadata, registers_.event_guard(instruction, state), instruction);
}

}  // namespace ptxmc::lower

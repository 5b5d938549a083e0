// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/lower/families/fragments.h"

#include "axiomatic/lower/unit/matrix_values.h"
#include "finding/rules.h"
#include "ptx/rules/sparsity.h"

namespace ptxmc::lower {

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
  const bool good = rules::is_selector(matrix, selector) &&
                    (!pool_.is_constant(metadata) ||
                     rules::is_metadata(matrix, static_cast<std::uint32_t>(pool_[metadata].constant)));
  if (good) return;
  misuse(finding::RuleId::sparsity_metadata, registers_.event_guard(instruction, state), instruction);
}

}  // namespace ptxmc::lower

// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/lower/families/wgmma_registers.h"

#include <algorithm>

#include "finding/rules.h"
#include "ptx/program/register_use.h"

namespace ptxmc::lower {

namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool same_shape(const isa::Matrix& a, const isa::Matrix& b) {
  return a.m == b.m && a.n == b.n && a.k == b.k && a.d == b.d;
}

}  // namespace

std::vector<std::string> registers_of(const Operand& operand) {
  std::vector<std::string> names;
  const auto* vector = std::get_if<program::VectorOperand>(&operand.value);
  if (!vector) return names;
  for (const auto& element : vector->elements) {
    if (const auto* r = std::get_if<program::Register>(&element)) names.push_back(r->name);
  }
  return names;
}

/// "The group of this operation has not been waited for."
Expr WgmmaRegisters::in_flight(const State& state, const WgmmaUse& use) {
  Expr result = pool_.truth(false);
  const auto holds = [&](const std::vector<EventId>& accesses) {
    return std::find(accesses.begin(), accesses.end(), use.access) != accesses.end();
  };
  for (const CopyHistory::Alternative& alternative : state.copies.alternatives()) {
    const CopyGroups& groups = alternative.groups[static_cast<std::size_t>(CopyKind::wgmma)];
    const bool committed = std::any_of(groups.committed.begin(), groups.committed.end(), holds);
    if (holds(groups.open) || committed) result = pool_.disjunction(result, alternative.where);
  }
  return pool_.conjunction(result, use.guard);
}

void WgmmaRegisters::misuse_register(const Instruction& instruction, finding::RuleId rule, Expr where) {
  if (pool_.is_false(where)) return;
  misuse(rule, where, instruction);
}

/// The registers that a wgmma.mma_async itself uses.
void WgmmaRegisters::use_registers(const Instruction& instruction, const State& state, const WgmmaUse& use) {
  Expr unfenced = pool_.truth(false), taken = pool_.truth(false);
  const auto add = [&](const std::string& name) {
    const auto found = state.matrices.unfenced.find(name);
    if (found != state.matrices.unfenced.end()) unfenced = pool_.disjunction(unfenced, found->second);
  };
  std::for_each(use.accumulator.begin(), use.accumulator.end(), add);
  std::for_each(use.multiplicand.begin(), use.multiplicand.end(), add);
  for (const WgmmaUse& other : state.matrices.uses) {
    const bool chained = same_shape(other.matrix, use.matrix);
    const bool clash =
        std::any_of(use.accumulator.begin(), use.accumulator.end(),
                    [&](const std::string& name) {
                      return contains(other.multiplicand, name) ||
                             (contains(other.accumulator, name) && !chained);
                    }) ||
        std::any_of(use.multiplicand.begin(), use.multiplicand.end(),
                    [&](const std::string& name) { return contains(other.accumulator, name); });
    if (clash) taken = pool_.disjunction(taken, in_flight(state, other));
  }
  misuse_register(instruction, finding::RuleId::wgmma_register_unfenced,
                  pool_.conjunction(use.guard, unfenced));
  const auto first = state.matrices.unfenced.find(kFirstOperation);
  if (first != state.matrices.unfenced.end() && !unit_.options.readings.first_fence_is_free)
    misuse_register(instruction, finding::RuleId::wgmma_unfenced,
                    pool_.conjunction(use.guard, first->second));
  misuse_register(instruction, finding::RuleId::wgmma_register_in_flight,
                  pool_.conjunction(use.guard, taken));
}

/// The registers that any other instruction reads or writes.
void WgmmaRegisters::touch_registers(const Instruction& instruction, State& state) {
  if (!body_.has(isa::Opcode::wgmma_mma)) return;
  program::RegisterUse use = register_use(instruction);
  use.reads.insert(use.reads.end(), use.writes.begin(), use.writes.end());
  std::vector<std::string> own;
  if (instruction.opcode == isa::Opcode::wgmma_mma) {
    own = registers_of(instruction.operand(Role::result));
    const auto a = registers_of(instruction.operand(Role::a));
    own.insert(own.end(), a.begin(), a.end());
  }
  const Expr executed = registers_.predicate(instruction, state);
  for (const std::string& name : use.reads) {
    if (contains(own, name)) continue;
    const auto place = state.matrices.unfenced.try_emplace(name, pool_.truth(false)).first;
    place->second = pool_.disjunction(place->second, executed);
    for (const WgmmaUse& other : state.matrices.uses) {
      if (!contains(other.accumulator, name) && !contains(other.multiplicand, name)) continue;
      const Expr here = pool_.conjunction(state.guard, executed);
      misuse_register(instruction, finding::RuleId::wgmma_register_in_flight,
                      pool_.conjunction(here, in_flight(state, other)));
    }
  }
}

}  // namespace ptxmc::lower

// SPDX-License-Identifier: Apache-2.0
// Tensor memory of a whole program: its hidden variable, its contents before the program starts, and which
// tcgen05.dealloc frees what.
#include <algorithm>
#include <map>
#include <set>

#include "axiomatic/lower/finish/finish.h"
#include "finding/rules.h"
#include "ptx/isa/opcode.h"

namespace ptxmc::lower {

using event::Expr;

std::optional<program::Program> with_tensor_memory(const program::Program& program) {
  const auto uses = [](const program::Instruction& instruction) {
    return isa::traits(instruction.opcode).family == isa::Family::tensor;
  };
  const bool declared = std::any_of(program.variables.begin(), program.variables.end(),
                                    [](const program::Variable& v) { return v.space == isa::Space::tensor; });
  const bool used =
      std::any_of(program.threads.begin(), program.threads.end(), [&](const program::Thread& thread) {
        return std::any_of(thread.code().begin(), thread.code().end(), uses);
      });
  if (!used && !declared) return std::nullopt;
  program::Program extended = program;
  program::Variable memory;
  memory.name = kTensorMemory;
  memory.space = isa::Space::tensor;
  memory.type = isa::Type{isa::TypeClass::bits, 32};
  memory.ptx_form = true;
  extended.variables.push_back(std::move(memory));
  return extended;
}

Expr initial_tensor_value(Unit& unit, const CellOwner& owner) {
  auto& pool = unit.pool();
  const Layout& layout = unit.layout;
  const std::int64_t number = owner.range.begin;
  const auto cell = static_cast<event::CellId>(&owner - layout.owners().data());
  const TensorBox& box = layout.tensor_cell(cell).boxes.front();
  std::string name = "tmem";
  if (const auto id = layout.tensor_variable(box.column)) {
    const program::Variable& variable = layout.variable(*id);
    const auto at = static_cast<std::size_t>(box.column - layout.tensor_column(*id));
    if (!variable.initial.empty()) {
      return pool.constant(at < variable.initial.size() ? variable.initial[at].integer : 0, 32);
    }
    name = variable.name;
  }
  name += "_" + std::to_string(box.column) + (number == 0 ? "" : "_" + std::to_string(number));
  return unknown_value(unit, name, 32, {});
}

void link_allocations(Unit& unit) {
  const auto& declared = unit.layout.allocations();
  for (const Unit::TensorChange& dealloc : unit.deallocations) {
    const event::Event issue = unit.graph.events[dealloc.issue];
    const auto is_it = [&](std::uint32_t cta, std::int64_t column, std::int64_t columns) {
      return cta == dealloc.cta && column == dealloc.column && columns == dealloc.columns;
    };
    bool known =
        !dealloc.exclusive && std::any_of(declared.begin(), declared.end(), [&](const TensorAllocation& a) {
          return a.column < unit.layout.first_free_column() && is_it(a.cta, a.column, a.columns);
        });
    for (const Unit::TensorChange& alloc : unit.allocations) {
      if (!is_it(alloc.cta, alloc.column, alloc.columns) || alloc.exclusive != dealloc.exclusive) continue;
      unit.graph.freed.emplace_back(alloc.issue, dealloc.issue);
      known = true;
    }
    if (!known)
      unit.graph.misuses.push_back(
          {finding::RuleId::tensor_memory_dealloc, issue.guard, issue.position, issue.text});
  }
}

void note_mixed_groups(Unit& unit) {
  using Groups = std::set<std::uint8_t>;
  std::map<std::optional<std::uint32_t>, Groups> written, executed;  // by kernel
  for (event::ThreadId t = 0; t < unit.program.threads.size(); ++t) {
    for (const program::Instruction& instruction : unit.program.threads[t].code()) {
      const std::uint8_t group = instruction.modifiers.tensor.cta_group;
      const bool tensor = isa::traits(instruction.opcode).family == isa::Family::tensor;
      if (tensor && group != 0) written[unit.graph.threads[t].kernel].insert(group);
    }
  }
  const auto kernel_of = [&](const event::Event& e) { return unit.graph.threads[e.thread].kernel; };
  for (const event::Event& event : unit.graph.events) {
    if (event.tensor.cta_group != 0) executed[kernel_of(event)].insert(event.tensor.cta_group);
  }
  for (event::Event& event : unit.graph.events) {
    if (event.tensor.cta_group == 0) continue;
    event.tensor.mixed = written[kernel_of(event)].size() > executed[kernel_of(event)].size();
  }
}

}  // namespace ptxmc::lower

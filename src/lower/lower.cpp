// SPDX-License-Identifier: Apache-2.0
// Lowering, in order: place threads, lay out memory (a first run over the threads finds the cells), initial
// writes, threads, barriers, condition, unknown values.
#include "lower/lower.h"

#include "lower/finish.h"
#include "lower/placement.h"
#include "lower/thread.h"

namespace ptxmc::lower {
namespace {

using event::EventId;
using event::Expr;

void lower_threads(Unit& unit) {
  for (event::ThreadId t = 0; t < unit.test.threads.size(); ++t) {
    unit.final_registers.push_back(ThreadLowering(unit, t).run());
  }
}

/// Names in the test that are no instruction operands still have to exist.
void check_names(const Unit& unit) {
  for (const auto& init : unit.test.register_inits) {
    bool found = false;
    for (const auto& thread : unit.graph.threads) found = found || thread.number == init.thread;
    if (!found) unit.errors.fail(init.position, "unknown thread P" + std::to_string(init.thread));
    if (!init.value.address_of.empty()) unit.layout.find(init.value.address_of, init.position);
  }
}

void add_cells(Unit& unit) {
  for (VariableId id = 0; id < unit.test.variables.size(); ++id) {
    unit.graph.names.push_back({unit.test.variables[id].name, unit.test.variables[id].alias_proxy});
  }
  for (const Layout::CellOwner& owner : unit.layout.owners()) {
    event::Cell cell;
    cell.name = unit.layout.element_name(owner.variable, owner.element);
    cell.width = unit.layout.width(owner.variable);
    cell.cta = owner.cta;
    unit.graph.cells.push_back(cell);
  }
}

/// The value of an element before the program starts; nothing when it is an unknown constant (8.2.6, R14).
std::optional<Expr> initial_value(Unit& unit, const Layout::CellOwner& owner) {
  const litmus::Variable& variable = unit.layout.variable(owner.variable);
  const event::Width width = unit.layout.width(owner.variable);
  if (owner.element >= variable.initial.size()) {
    if (variable.ptx_form && unit.layout.is_shared(owner.variable)) return std::nullopt;
    return unit.pool().constant(0, width);
  }
  const litmus::InitialValue& initial = variable.initial[owner.element];
  if (initial.address_of.empty()) return unit.pool().constant(initial.integer, width);
  const VariableId target = unit.layout.find(initial.address_of, variable.position);
  if (narrower(width, 32)) {
    unit.errors.fail(variable.position, "the address of " + initial.address_of + " needs 32 or 64 bits");
  }
  unit.layout.use_address(target);
  return unit.pool().constant(unit.layout.address(target), width);
}

/// One initial write per cell (8.2.6); returns those of unknown constants.
std::vector<EventId> add_initial_writes(Unit& unit) {
  std::vector<EventId> unknown;
  for (event::CellId cell = 0; cell < unit.graph.cells.size(); ++cell) {
    const Layout::CellOwner& owner = unit.layout.owners()[cell];
    event::Event write;
    write.kind = event::EventKind::initial_write;
    write.guard = unit.pool().truth(true);
    write.cell = cell;
    write.labels.space = unit.layout.is_shared(owner.variable) ? isa::Space::shared : isa::Space::global;
    write.labels.name = write.labels.generic_name = owner.variable;
    write.position = unit.layout.variable(owner.variable).position;
    write.text = "initial value of " + unit.graph.cells[cell].name;
    const auto id = static_cast<EventId>(unit.graph.size());
    const auto value = initial_value(unit, owner);
    write.value = value ? *value : unit.pool().value_of(id, unit.graph.cells[cell].width);
    if (!value) unknown.push_back(id);
    unit.add_event(std::move(write));
  }
  return unknown;
}

void survey(const litmus::Test& test, const Options& options, const Errors& errors, Layout& layout,
            const std::vector<event::ThreadInfo>& threads) {
  Unit unit(test, options, errors, layout);
  unit.graph.threads = threads;
  check_names(unit);
  lower_threads(unit);
  lower_condition(unit);
  layout.freeze();
}

}  // namespace

event::ProgramGraph lower(const litmus::Test& test, const Options& options) {
  const Errors errors(test.source);
  const auto threads = place_threads(test, errors);
  Layout layout(test, errors, options.unbounded);
  survey(test, options, errors, layout, threads);

  Unit unit(test, options, errors, layout);
  unit.graph.threads = threads;
  unit.graph.unbounded = options.unbounded;
  add_cells(unit);
  const std::vector<EventId> unknown = add_initial_writes(unit);
  lower_threads(unit);
  decide_barriers(unit);
  resolve_reductions(unit);
  lower_condition(unit);
  unit.graph.symbols = layout.symbols();
  choose_unknowns(unit, unknown);
  return std::move(unit.graph);
}

}  // namespace ptxmc::lower

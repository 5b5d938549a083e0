// SPDX-License-Identifier: Apache-2.0
// Lowering, in order: place threads, lay out memory (a first run over the threads finds the cells), initial
// writes, threads, barriers, condition, unknown values.
#include "axiomatic/lower/lower.h"

#include <algorithm>

#include "axiomatic/lower/finish/finish.h"
#include "axiomatic/lower/finish/liveness.h"
#include "axiomatic/lower/flow/walker.h"
#include "axiomatic/lower/memory/place_uses.h"
#include "axiomatic/lower/placement.h"
#include "axiomatic/lower/unit/loop_form.h"
#include "axiomatic/lower/unit/tasks.h"

namespace ptxmc::lower {
namespace {

using event::Expr;
using event::Op;

void lower_threads(Unit& unit) {
  for (event::ThreadId t = 0; t < unit.program.threads.size(); ++t) {
    unit.final_registers.push_back(PathWalker(unit, t).run());
  }
}

/// Names in the program that are no instruction operands still have to exist.
void check_names(const Unit& unit) {
  for (const auto& init : unit.program.register_inits) {
    bool found = false;
    for (const auto& thread : unit.graph.threads) found = found || thread.number == init.thread;
    if (!found) unit.errors.fail(init.position, "unknown thread P" + std::to_string(init.thread));
    if (!init.value.address_of.empty()) unit.layout.find(init.value.address_of, init.position);
  }
}

void add_cells(Unit& unit) {
  for (VariableId id = 0; id < unit.program.variables.size(); ++id) {
    unit.graph.names.push_back({unit.program.variables[id].name, unit.program.variables[id].alias_proxy});
  }
  for (const CellOwner& owner : unit.layout.owners()) {
    event::Cell cell;
    cell.name = unit.layout.cell_name(owner);
    cell.width = unit.layout.cell_width(owner);
    if (unit.layout.is_shared(owner.block.variable) || unit.layout.is_tensor(owner.block.variable))
      cell.cta = static_cast<std::uint32_t>(owner.block.instance);
    unit.graph.cells.push_back(cell);
  }
}

/// The same for a cell: a part of an element, or several of them, the first in the lowest bits (5.2).
std::optional<Expr> initial_value(Unit& unit, const CellOwner& owner) {
  const VariableId id = owner.block.variable;
  if (unit.layout.is_tensor(id)) return initial_tensor_value(unit, owner);
  const event::Width width = unit.layout.cell_width(owner);
  const std::int64_t size = unit.layout.stride(id);
  if (unit.layout.variable(id).map) {
    const auto field = map_field_at(owner.range);
    const bool replaced = field && !unit.layout.replacements(*field).empty();
    return unit.pool().constant(replaced ? unit.layout.map_fields(id)[*field] : unit.layout.map_token(id),
                                width);
  }
  if (owner.range.bytes > sizeof(event::Value)) {  // zero or unknown, as all of the variable (Layout::freeze)
    const auto value = initial_element(unit, id, owner.range.begin / size);
    return value ? std::optional<Expr>(unit.pool().constant(0, width)) : std::nullopt;
  }
  auto& pool = unit.pool();
  std::optional<Expr> pattern;
  for (std::int64_t at = owner.range.begin; at < owner.range.end();) {
    const std::int64_t element = at / size, inside = at % size;
    const auto value = initial_element(unit, id, element);
    if (!value) return std::nullopt;  // as all of the variable
    if (at == owner.range.begin && inside == 0 && owner.range.bytes == size)
      return resize(pool, {*value}, width);
    // Elements of 16 bytes have 8 bytes of value, extended by their sign.
    const event::Width word = pool[*value].width;
    const auto by = [&](std::int64_t bytes) { return pool.constant(bytes * 8, word); };
    Expr bits = pool.make(Op::shr_s, word, *value, by(std::min<std::int64_t>(inside, 8)));
    if (size < 8) {
      const auto mask = static_cast<event::Value>((std::uint64_t{1} << ((size - inside) * 8)) - 1);
      bits = pool.make(Op::and_, word, bits, pool.constant(mask, word));
    }
    bits = pool.make(Op::shl, word, bits, by(at - owner.range.begin));
    pattern = pattern ? pool.make(Op::or_, word, *pattern, bits) : bits;
    at += size - inside;
  }
  return resize(pool, {*pattern}, width);
}

/// One initial write per cell (8.2.6).
void add_initial_writes(Unit& unit) {
  for (event::CellId cell = 0; cell < unit.graph.cells.size(); ++cell) {
    const CellOwner& owner = unit.layout.owners()[cell];
    const VariableId variable = owner.block.variable;
    event::Event write;
    write.kind = event::EventKind::initial_write;
    write.guard = unit.pool().truth(true);
    write.cell = cell;
    write.labels.space = unit.layout.space(variable);
    write.labels.name = write.labels.generic_name = variable;
    write.position = unit.layout.variable(variable).position;
    write.text = "initial value of " + unit.graph.cells[cell].name;
    const auto value = initial_value(unit, owner);
    const event::Cell& held = unit.graph.cells[cell];
    write.value = value ? *value : unknown_value(unit, held.name, held.width, write.position);
    unit.add_event(std::move(write));
  }
}

/// The addresses that the program writes down; the survey adds those that instructions make.
void note_addresses(const program::Program& program, Layout& layout) {
  const auto use = [&](const program::InitialValue& value, Position position) {
    if (!value.address_of.empty()) layout.use_address(layout.find(value.address_of, position));
  };
  for (const auto& variable : program.variables) {
    for (const auto& value : variable.initial) use(value, variable.position);
  }
  for (const auto& init : program.register_inits) use(init.value, init.position);
}

/// An instruction is an event or two, in straight code; a thread has an end.
std::size_t usual_events(const Unit& unit) {
  std::size_t events = unit.layout.owners().size();
  for (const program::Thread& thread : unit.program.threads) events += 2 * thread.code().size() + 1;
  return std::min(events, kMaxEvents);
}

/// Runs over the program until nothing new is learnt: which bytes are accessed depends, through computed
/// addresses, on which addresses the program uses and on how large untyped variables are.
ChoicePlan survey(const Request& request, Layout& layout, const std::vector<event::ThreadInfo>& threads,
                  bool symbolic) {
  while (true) {
    const std::size_t known = layout.knowledge();
    Unit unit(request, layout, symbolic);
    unit.graph.threads = threads;
    unit.graph.events.reserve(usual_events(unit));
    check_names(unit);
    lower_threads(unit);
    lower_condition(unit);
    if (unit.reach.seen() != 0) layout.note_computed_addresses();
    const bool depends = unit.reach.seen() != 0 || layout.reads_maps();
    if (depends && layout.knowledge() != known) continue;
    layout.freeze();
    return unit.nondeterministic_choices.asked();
  }
}

/// Everything up to the last thread.
void lower_program(Unit& unit, const ChoicePlan& nondeterministic_choices) {
  unit.graph.events.reserve(usual_events(unit));
  add_cells(unit);
  add_initial_writes(unit);
  unit.nondeterministic_choices.add(unit, nondeterministic_choices);
  lower_threads(unit);
  if (unit.tasks) {
    unit.graph.api_sync =
        api_synchronization(*unit.tasks, unit.api, unit.options.readings.dependents_always_early);
    unit.graph.dependents = dependent_starts(*unit.tasks, unit.api);
  }
}

/// Leaves out the places of computed addresses that no value makes true.
void narrow_reach(Unit& unit, const ChoicePlan& nondeterministic_choices) {
  Unit trial(unit, unit.layout, unit.places.symbolic());
  trial.graph.threads = unit.graph.threads;
  trial.graph.unbounded = unit.options.unbounded;
  lower_program(trial, nondeterministic_choices);
  if (trial.reach.seen() == 0) return;
  lower_condition(trial);
  unit.reach.exclude(trial.reach.impossible(trial.graph));
}

/// A lowered program, and what it does with addresses. Where loops have changes, nothing but those loops: it is lowered again.
struct Lowered {
  event::ProgramGraph graph;
  std::set<Expr> comparisons;    // of computed addresses with the places that they may name
  bool uses_addresses = false;   // other than in accesses
  std::set<ThreadLoop> races;    // spin loops with reads that may race in a turn that fails
  std::set<ThreadLoop> changes;  // those that may change memory in such a turn
};

Lowered lower_as(const Request& request, bool symbolic) {
  const auto threads = place_threads(request.program, request.errors);
  std::uint32_t ctas = 0;
  for (const event::ThreadInfo& thread : threads) ctas = std::max(ctas, thread.cta + 1);
  const Options& options = request.options;
  Layout layout(request.program, request.errors, options.unbounded, ctas);
  if (options.single_bytes || options.readings.tears_at_bytes) layout.shatter();
  note_addresses(request.program, layout);
  const ChoicePlan nondeterministic_choices = survey(request, layout, threads, symbolic);

  Unit unit(request, layout, symbolic);
  unit.graph.origins = request.program.origins;
  unit.graph.threads = threads;
  unit.graph.unbounded = options.unbounded;
  if (layout.computes_addresses()) narrow_reach(unit, nondeterministic_choices);
  lower_program(unit, nondeterministic_choices);
  std::set<ThreadLoop> races = loops_with_races(unit);
  decide_barriers(unit);
  decide_mbarriers(unit);
  check_converged(unit);
  resolve_exchanges(unit);
  std::set<ThreadLoop> changes = loops_with_changes(unit);
  if (!changes.empty()) return {{}, {}, false, std::move(races), std::move(changes)};
  link_exits(unit);
  link_allocations(unit);
  note_mixed_groups(unit);
  lower_condition(unit);
  if (!symbolic) {
    for (auto& symbol : layout.symbols()) unit.graph.symbols.push_back(std::move(symbol));
  }
  sample_unknowns(unit);
  unit.graph.cut = unit.graph.cut && loses_paths(unit);
  if (options.liveness) finish_liveness(unit);
  return {std::move(unit.graph),
          unit.reach.comparisons(),
          !layout.addresses_used().empty() || !layout.allocations().empty(),
          std::move(races),
          {}};
}

/// With all turns of the loops that turn out to change memory while they wait, and a turn that may fail in those that have
/// races.
Lowered lower_waiting(const Request& request, bool symbolic) {
  Request known = request;
  while (true) {
    Lowered out = lower_as(known, symbolic);
    if (!out.changes.empty()) {  // none of those that are known
      known.unrolled.merge(out.changes);
    } else if (known.tried.empty() && !out.races.empty()) {
      known.tried = std::move(out.races);
    } else {
      return out;
    }
  }
}

constexpr std::size_t kLarge = 512;  // events: relations of as many are quick to compute

void leave_out_alike(event::ProgramGraph& graph, const Options& options, const Errors& errors) {
  if (options.alike == Alike::never) return;
  if (options.alike == Alike::always || graph.size() > kLarge) merge_symmetric_cells(graph);
  if (graph.size() > kMaxEvents) fail_too_many(errors, graph.events[kMaxEvents].position);
}

event::ProgramGraph lower_once(const program::Program& written, const Options& options) {
  const std::optional<program::Program> ordered =
      options.all_turns ? std::nullopt : with_plain_loops(written);
  std::optional<program::Program> extended = with_tensor_memory(ordered ? *ordered : written);
  const program::Program& program = extended ? *extended : ordered ? *ordered : written;
  const Errors errors(program.source, program.origins);
  if (program.kernels.stated && options.liveness)
    errors.unsupported({}, "liveness of a test that states kernels");
  BodyAnalyses bodies(program, errors);
  const Request request{program, options, errors, bodies, {}, {}};
  Lowered lowered = lower_waiting(request, false);
  if (lowered.uses_addresses) {
    Lowered symbolic = lower_waiting(request, true);
    if (const auto use = use_of_places(symbolic.graph, symbolic.comparisons)) {
      if (options.unbounded)
        errors.unsupported(*use,
                           "an answer that depends on the addresses of variables, with unbounded integers");
      lowered = std::move(symbolic);
    }
  }
  if (extended) drop_values(lowered.graph);
  leave_out_alike(lowered.graph, options, errors);
  return std::move(lowered.graph);
}

/// A choice for each wait says whether it never ends. Where such waits are few, what comes after those that
/// never end is kept, for reports to name (check::explain_standstill).
constexpr std::ptrdiff_t kFewWaits = 16;
std::ptrdiff_t waits_of_others(const event::ProgramGraph& graph, const std::vector<bool>& passing) {
  return std::count_if(graph.events.begin(), graph.events.end(), [&](const event::Event& event) {
    return event.kind == event::EventKind::wait && event.thread != event::kNoThread && !passing[event.thread];
  });
}

}  // namespace

event::ProgramGraph lower(const program::Program& program, const Options& options) {
  if (!options.liveness) return lower_once(program, options);
  Options how = options;
  how.all_pass = true;
  try {
    event::ProgramGraph free = lower_once(program, how);
    const bool meet = std::any_of(free.events.begin(), free.events.end(), [](const event::Event& event) {
      return event.barrier.has_value() || event.mbarrier.has_value();
    });
    how.passing = passing_threads(free, options.budget);
    const bool all = std::find(how.passing.begin(), how.passing.end(), false) == how.passing.end();
    if (!meet || all) return free;
    if (waits_of_others(free, how.passing) > kFewWaits) {
      how.open_results = true;
      how.stays = staying_threads(lower_once(program, how), options.budget);
      how.passing.resize(how.stays.size(), false);
      for (std::size_t t = 0; t < how.stays.size(); ++t)
        how.passing[t] = how.passing[t] || how.stays[t].has_value();
    }
  } catch (const InputError&) {  // exchanges behind barriers that are never passed, say
  }
  how.all_pass = how.open_results = false;
  return lower_once(program, how);
}

}  // namespace ptxmc::lower

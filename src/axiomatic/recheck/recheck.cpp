// SPDX-License-Identifier: Apache-2.0
// The witness check.
//
// An engine's answer "this state is reachable" comes with an execution: path, values, reads-from, order
// choices. Here the execution is judged from scratch against what the program graph and the model *say*:
// values by a direct interpreter (naive_values), relations as sets of pairs (naive_relations), base relations
// pair by pair (naive_base; in small programs), phases of barriers by a simulator (naive_phases). What is shared
// with the engines is the graph and the model's tree, and `quorum` of the published models, which is enumerated
// as for them. The price is speed: a witness costs about events^2 * nodes of the model, some milliseconds.
//
// The order of the checks matters: the shapes first (everything later indexes by them), then path,
// reads-from, values and choices, then the axioms, which mean little on a malformed execution, and last the
// state.
#include "axiomatic/recheck/recheck.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "axiomatic/recheck/describe.h"
#include "axiomatic/recheck/naive_base.h"
#include "axiomatic/recheck/naive_phases.h"
#include "axiomatic/recheck/naive_relations.h"
#include "axiomatic/recheck/naive_tree.h"
#include "axiomatic/recheck/naive_values.h"

namespace ptxmc::check {

using event::CellId;
using event::EventId;
using event::kNoEvent;

namespace {

/// Base relations are taken from the table as they are for programs with more than so many accessed cells.
constexpr std::size_t kMostSlots = 128;

class Judge {
 public:
  Judge(const engine::Query& query, const engine::State& state)
      : query_(query),
        graph_(query.graph),
        model_(query.model),
        state_(state),
        execution_(state.witness),
        values_(query.graph, state.witness),
        relations_({query.graph, query.base, query.signature, query.model, state.witness, query.budget}) {}

  std::vector<std::string> judge() {
    check_places();
    check_path();
    check_reads();
    check_writes();
    for (std::size_t i = 0; i < model_.orders.size(); ++i) check_order(i);
    check_enumerated();
    check_base();
    check_axioms();
    check_finals();
    check_final_reads();
    check_state();
    return std::move(problems_);
  }

 private:
  template <typename... Args>
  void problem(fmt::format_string<Args...> format, Args&&... args) {
    problems_.push_back(fmt::format(format, std::forward<Args>(args)...));
  }
  std::string name(EventId e) const { return describe(graph_, e); }
  bool exists(EventId e) const { return e != kNoEvent && execution_.exists.test(e); }

  void check_places();
  void check_path();
  void check_decision(std::size_t d);
  void check_reads();
  void check_writes();
  void check_order(std::size_t order);
  void check_enumerated();
  void check_base();
  void check_base(const BaseView& view, const std::vector<EventId>& existing, std::uint32_t base);
  void check_axioms();
  void check_finals();
  void check_final_reads();
  void check_state();
  std::vector<EventId> maximal_writes(CellId cell);

  const engine::Query& query_;
  const event::ProgramGraph& graph_;
  const relation::MemoryModel& model_;
  const engine::State& state_;
  const event::Execution& execution_;
  NaiveValues values_;
  NaiveRelations relations_;
  std::vector<std::string> problems_;
};

// What is known of the places of variables holds of the numbers that the execution gives them.
void Judge::check_places() {
  const auto& terms = graph_.exprs.terms();
  const auto begin = [&](std::size_t id) {
    const auto& stated = execution_.valuation.terms;
    return static_cast<std::uint64_t>(stated.empty() ? terms[id].sample : stated.at(id));
  };
  const auto last = [&](std::size_t id) {
    return begin(id) + static_cast<std::uint64_t>(terms[id].size) - 1;
  };
  for (std::size_t id = 0; id < terms.size(); ++id) {
    if (!terms[id].is_place) continue;
    std::uint64_t limit = terms[id].width == 32 ? 0xffffffff : ~std::uint64_t{0};
    if (terms[id].limit != 0) limit = static_cast<std::uint64_t>(terms[id].limit) - 1;
    if (begin(id) < static_cast<std::uint64_t>(terms[id].least))
      problem("{} is at {:#x}, where no variable is", terms[id].name, begin(id));
    if (begin(id) % static_cast<std::uint64_t>(terms[id].alignment) != 0)
      problem("{} is at {:#x}, which is not aligned", terms[id].name, begin(id));
    if (terms[id].size > 0 && (last(id) < begin(id) || last(id) > limit))
      problem("{} at {:#x} does not fit the address space", terms[id].name, begin(id));
    for (std::size_t other = 0; other < id; ++other) {
      const bool one_window = terms[other].is_place && terms[other].window == terms[id].window;
      if (!one_window || terms[other].memory == terms[id].memory) continue;
      if (terms[id].size == 0 || terms[other].size == 0) continue;
      if (begin(id) <= last(other) && begin(other) <= last(id))
        problem("{} and {} overlap", terms[id].name, terms[other].name);
    }
  }
}

void Judge::check_decision(std::size_t d) {
  const event::Decision& decision = graph_.decisions[d];
  const std::optional<bool> guard = values_.truth(decision.guard);
  const event::Truth stated = execution_.decisions[d];
  if (!guard) {
    problem("the guard of decision {} hangs on a read that does not exist", d);
  } else if (!*guard) {
    if (stated != event::Truth::unset) problem("decision {} is taken, but its guard is false", d);
  } else if (stated == event::Truth::unset) {
    problem("decision {} is not taken, but its guard is true", d);
  } else {
    const std::optional<bool> condition = values_.truth(decision.condition);
    if (!condition) problem("the condition of decision {} hangs on a read that does not exist", d);
    if (condition && *condition != (stated == event::Truth::yes)) {
      problem("decision {} says {}, but its condition is {}", d, stated == event::Truth::yes ? "yes" : "no",
              *condition);
    }
  }
}

void Judge::check_path() {
  for (std::size_t d = 0; d < graph_.decisions.size(); ++d) check_decision(d);
  for (EventId e = 0; e < graph_.size(); ++e) {
    const std::optional<bool> guard = values_.truth(graph_.events[e].guard);
    if (!guard) {
      problem("the guard of {} hangs on a read that does not exist", name(e));
    } else if (*guard != exists(e)) {
      problem("{} {}, but its guard is {}", name(e), exists(e) ? "exists" : "does not exist", *guard);
    }
  }
  for (std::size_t i = 0; i < graph_.assumptions.size(); ++i) {
    if (values_.truth(graph_.assumptions[i]) != true) problem("assumption {} does not hold", i);
  }
}

void Judge::check_reads() {
  for (event::SlotId s = 0; s < graph_.slot_count(); ++s) {
    const auto [r, cell, own] = graph_.slot(s);
    const event::Event& read = graph_.events[r];
    const EventId source = execution_.reads_from[s];
    if (!read.is_read() || !exists(r)) {
      if (source != kNoEvent)
        problem("{} is no read of this execution, but reads from {}", name(r), name(source));
    } else if (source == kNoEvent || source >= graph_.size()) {
      problem("{} reads from nothing", name(r));
    } else if (!exists(source)) {
      problem("{} reads from {}, which does not exist", name(r), name(source));
    } else if (!graph_.events[source].is_write()) {
      problem("{} reads from {}, which is no write", name(r), name(source));
    } else if (!graph_.covers(source, cell)) {
      problem("{} reads from {}, which writes another cell", name(r), name(source));
    } else if (read.rmw_partner == source) {
      problem("{} reads from the write of its own operation, {}", name(r), name(source));
    } else if (const event::Value stored = execution_.values[graph_.slot_at(source, cell)];
               execution_.values[s] != stored) {
      problem("{} has value {}, but its source {} wrote {}", name(r), execution_.values[s], name(source),
              stored);
    }
  }
}

void Judge::check_writes() {
  for (event::SlotId s = 0; s < graph_.slot_count(); ++s) {
    const auto [w, cell, expression] = graph_.slot(s);
    const event::Event& write = graph_.events[w];
    if (!write.is_write() || !exists(w)) continue;
    const event::Value stored = execution_.values[s];
    const std::vector<event::Value>& choices = write.choices;
    if (!choices.empty() && std::find(choices.begin(), choices.end(), stored) == choices.end()) {
      problem("{} has value {}, which is none of its choices", name(w), stored);
    }
    const std::optional<event::Value> value = values_.value(expression);
    if (!value) {
      problem("the value of {} hangs on a read that does not exist", name(w));
    } else if (*value != stored) {
      problem("{} has value {}, but stores {}", name(w), stored, *value);
    }
  }
}

void Judge::check_order(std::size_t order) {
  const relation::OrderDeclaration& declaration = model_.orders[order];
  const relation::BitMatrix& chosen = execution_.orders[order];
  const PairSet& over = relations_.value(declaration.over);
  const auto related = [&](EventId a, EventId b) { return over.contains({a, b}) || over.contains({b, a}); };
  for (EventId a = 0; a < graph_.size(); ++a) {
    query_.budget.check();
    for (EventId b = a; b < graph_.size(); ++b) {
      const int directions = static_cast<int>(chosen.test(a, b)) + (a != b && chosen.test(b, a));
      const bool wanted = a != b && related(a, b);
      if (!wanted && directions != 0) {
        problem("order {} relates {} and {}, which are no pair of it", declaration.name, name(a), name(b));
      } else if (wanted && directions == 2) {
        problem("order {} relates {} and {} in both directions", declaration.name, name(a), name(b));
      } else if (wanted && directions == 0 && !declaration.partial) {
        problem("order {} leaves {} and {} unrelated", declaration.name, name(a), name(b));
      }
    }
  }
}

void Judge::check_enumerated() {
  std::vector<NodeId> roots = {model_.coherence};
  for (const relation::OrderDeclaration& order : model_.orders) roots.push_back(order.over);
  for (const relation::Constraint& axiom : model_.axioms) roots.push_back(axiom.expression);
  if (query_.ask == engine::Ask::flag) roots.push_back(model_.flags.at(query_.flag).expression);
  for (const std::uint32_t base : enumerated_bases(model_.tree, query_.signature, std::move(roots))) {
    const std::string& base_name = query_.signature[base].name;
    if (base >= execution_.enumerated.size() || execution_.enumerated[base].size() != graph_.size()) {
      problem("relation {} has no value, but the model uses it", base_name);
      continue;
    }
    if (base_name == "phase") {
      const auto wrong = judge_phases(graph_, execution_, execution_.enumerated[base], values_);
      problems_.insert(problems_.end(), wrong.begin(), wrong.end());
      continue;
    }
    const auto [possible, complete] = event::alternatives(graph_, base, execution_.decisions, query_.budget);
    const auto found = std::find(possible.begin(), possible.end(), execution_.enumerated[base]);
    if (complete && found == possible.end()) {
      problem("relation {} is none of its {} alternatives on this path", base_name, possible.size());
    }
  }
}

// The sets and relations of the table that the model is built from, on the events of this execution.
void Judge::check_base() {
  if (graph_.slot_count() > kMostSlots) return;
  std::vector<EventId> existing;
  for (EventId e = 0; e < graph_.size(); ++e) {
    if (exists(e)) existing.push_back(e);
  }
  std::set<std::uint32_t> used;
  for (const relation::SetNode& node : model_.tree.sets()) {
    if (const auto* base = std::get_if<relation::BaseSet>(&node)) used.insert(base->base);
  }
  for (const relation::RelNode& node : model_.tree.relations()) {
    if (const auto* base = std::get_if<relation::BaseRel>(&node)) used.insert(base->base);
  }
  const BaseView view(graph_);
  for (const std::uint32_t base : used) {
    if (query_.signature[base].provider == relation::Provider::fixed) check_base(view, existing, base);
  }
}

void Judge::check_base(const BaseView& view, const std::vector<EventId>& existing, std::uint32_t base) {
  const std::string& base_name = query_.signature[base].name;
  const NaiveMember member = naive_set(base_name);
  const NaiveRelated related = naive_relation(base_name);
  for (const EventId a : existing) {
    if (member && member(view, a) != query_.base.sets[base].test(a))
      return problem("base set {} is wrong about {}", base_name, name(a));
    for (const EventId b : existing) {
      if (related && related(view, a, b) != query_.base.relations[base].test(a, b))
        return problem("base relation {} is wrong about {} and {}", base_name, name(a), name(b));
    }
  }
}

void Judge::check_axioms() {
  for (const relation::Constraint& axiom : model_.axioms) {
    if (!relations_.holds(axiom)) problem("axiom {} fails", axiom.name);
  }
  if (query_.ask == engine::Ask::flag && !relations_.holds(model_.flags.at(query_.flag))) {
    problem("flag {} is not raised", model_.flags[query_.flag].name);
  }
}

std::vector<EventId> Judge::maximal_writes(CellId cell) {
  std::vector<EventId> out;
  const PairSet& coherence = relations_.value(model_.coherence);
  const auto on_cell = [&](EventId w) {
    return exists(w) && graph_.events[w].is_write() && graph_.covers(w, cell);
  };
  for (EventId w = 0; w < graph_.size(); ++w) {
    if (!on_cell(w)) continue;
    query_.budget.check();
    bool last = true;
    for (EventId later = 0; later < graph_.size(); ++later)
      last &= !(on_cell(later) && coherence.contains({w, later}));
    if (last) out.push_back(w);
  }
  return out;
}

void Judge::check_finals() {
  for (CellId cell = 0; cell < graph_.cells.size(); ++cell) {
    const EventId chosen = execution_.final_writes[cell];
    const std::string& cell_name = graph_.cells[cell].name;
    const std::vector<EventId> last = maximal_writes(cell);
    const auto stored = [&](EventId w) { return execution_.values[graph_.slot_at(w, cell)]; };
    if (chosen == kNoEvent) {
      // Any maximal write will do; its value is known where they agree.
      const auto same = [&](EventId w) { return stored(w) == stored(last.front()); };
      if (!last.empty() && std::all_of(last.begin(), last.end(), same))
        values_.set_final(cell, stored(last.front()));
    } else if (chosen >= graph_.size() || !exists(chosen)) {
      problem("the final write of {} is {}, which does not exist", cell_name, name(chosen));
    } else if (std::find(last.begin(), last.end(), chosen) == last.end()) {
      problem("the final write of {} is {}, which is no last write of it in coherence", cell_name,
              name(chosen));
    } else {
      values_.set_final(cell, stored(chosen));
    }
  }
}

// A value that is shown from several cells is read at once: where one write gives a cell of it, and wrote
// another cell too, the latter is of that write or of one that did not write the former.
void Judge::check_final_reads() {
  const auto initial = [&](EventId w) { return graph_.events[w].kind == event::EventKind::initial_write; };
  for (const std::vector<CellId>& cells : graph_.final_reads) {
    for (const CellId here : cells) {
      for (const CellId there : cells) {
        const EventId one = execution_.final_writes[here], other = execution_.final_writes[there];
        if (one >= graph_.size() || other >= graph_.size() || one == other || initial(one)) continue;
        const bool both = graph_.covers(one, there) && (initial(other) || graph_.covers(other, here));
        if (both)
          problem("the final value of {} and {} is torn", graph_.cells[here].name, graph_.cells[there].name);
      }
    }
  }
}

void Judge::check_state() {
  if (values_.truth(graph_.filter) != true) problem("the execution does not meet the filter");
  if (query_.ask == engine::Ask::flag && state_.values.empty()) return;
  if (state_.values.size() != graph_.observables.size()) {
    problem("the state has {} values for {} observables", state_.values.size(), graph_.observables.size());
    return;
  }
  for (std::size_t i = 0; i < graph_.observables.size(); ++i) {
    const event::Observable& observable = graph_.observables[i];
    const std::optional<event::Value> value = values_.value(observable.value);
    if (!value) {
      problem("{} has no value in this execution", observable.name);
    } else if (*value != state_.values[i]) {
      problem("the state says {} = {}, but it is {}", observable.name, state_.values[i], *value);
    }
  }
  if (query_.ask == engine::Ask::flag) return;
  const std::optional<bool> proposition = values_.truth(graph_.proposition);
  if (!proposition) {
    problem("the condition has no truth value in this execution");
  } else if (*proposition != state_.satisfied) {
    problem("the state {} the condition, but is reported as one that does{}",
            *proposition ? "satisfies" : "violates", state_.satisfied ? "" : " not");
  }
}

// Everything else indexes by these sizes.
std::vector<std::string> check_shape(const engine::Query& query, const event::Execution& x) {
  std::vector<std::string> problems;
  const auto expect = [&](const char* what, std::size_t found, std::size_t expected) {
    if (found != expected)
      problems.push_back(fmt::format("the execution has {} {}, expected {}", found, what, expected));
  };
  const std::size_t events = query.graph.size();
  expect("decisions", x.decisions.size(), query.graph.decisions.size());
  expect("events", x.exists.size(), events);
  expect("values", x.values.size(), query.graph.slot_count());
  expect("reads-from entries", x.reads_from.size(), query.graph.slot_count());
  expect("final writes", x.final_writes.size(), query.graph.cells.size());
  expect("orders", x.orders.size(), query.model.orders.size());
  const std::size_t terms = query.graph.exprs.terms().size();
  expect("terms", x.valuation.terms.empty() ? terms : x.valuation.terms.size(), terms);
  for (const relation::BitMatrix& order : x.orders) expect("events in an order", order.size(), events);
  for (const relation::BitMatrix& value : x.enumerated) {
    if (value.size() != 0) expect("events in an enumerated relation", value.size(), events);
  }
  return problems;
}

}  // namespace

std::vector<std::string> recheck(const engine::Query& query, const engine::State& state) {
  std::vector<std::string> problems = check_shape(query, state.witness);
  if (!problems.empty()) return problems;
  try {
    return Judge(query, state).judge();
  } catch (const event::Overflow& overflow) {
    return {fmt::format("a value of the execution cannot be computed: {}", overflow.what())};
  }
}

}  // namespace ptxmc::check

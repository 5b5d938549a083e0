// SPDX-License-Identifier: Apache-2.0
// What may race in a turn of a pure spin loop that fails. The turn that leaves the loop is ordered behind what it waits
// for, and turns that fail are not: a read of theirs may race where the same read of the last turn does not. So a loop
// with such a read keeps a turn that may fail. One is enough: that of the race, without the others, is consistent, and
// less is ordered before it.
//
// And what an atomic of such a turn may change: one that exchanges the value of a lock leaves it as it was where the lock
// never has a value but those of a lock that is free and one that is taken. Which values a cell has is known when all
// writes are; a turn that fails writes no other value than the last one does.
//
// What a waiting loop waits for cannot come of what is behind it: its exit is no guard, as every execution leaves it, and
// yet a dependency (8.10.4, D13).
//
// No turn races by reads that are morally strong with all writes that they overlap (8.7.1).
#include <algorithm>

#include "axiomatic/event/guards.h"
#include "axiomatic/event/scope.h"
#include "axiomatic/lower/finish/finish.h"
#include "axiomatic/lower/memory/value_domains.h"

namespace ptxmc::lower {

namespace {

using event::Event;

std::vector<event::CellId> cells_of(const event::ProgramGraph& graph, const Event& event) {
  std::vector<event::CellId> out{event.cell};
  for (std::uint32_t k = 0; k < event.part_count; ++k) out.push_back(graph.parts[event.first_part + k].cell);
  return out;
}

bool overlap(const event::ProgramGraph& graph, const Event& a, const Event& b) {
  const auto ours = cells_of(graph, a), theirs = cells_of(graph, b);
  return std::any_of(ours.begin(), ours.end(), [&](event::CellId cell) {
    return std::find(theirs.begin(), theirs.end(), cell) != theirs.end();
  });
}

/// Strong, of scopes that include each other, of the generic proxy, and of the same bytes.
bool morally_strong(const event::ProgramGraph& graph, const Event& a, const Event& b) {
  const auto strong = [](const Event& e) {
    return e.labels.semantics != isa::Semantics::weak && e.labels.proxy == isa::Proxy::generic &&
           e.issue == event::kNoEvent;
  };
  if (!strong(a) || !strong(b) || cells_of(graph, a) != cells_of(graph, b)) return false;
  const event::ThreadInfo &of_a = graph.threads[a.thread], &of_b = graph.threads[b.thread];
  return event::includes(a.labels.scope, of_a, of_b) && event::includes(b.labels.scope, of_b, of_a);
}

using Clause = std::vector<event::Literal>;  // some of these is true

void add_to(Clause& clause, const event::ExprPool& pool, event::Expr e, bool positive) {
  const event::Node& node = pool[e];
  if (node.width == 1 && node.op == event::Op::not_) {
    add_to(clause, pool, node.a, !positive);
  } else if (node.width == 1 && node.op == (positive ? event::Op::or_ : event::Op::and_)) {
    add_to(clause, pool, node.a, positive);
    add_to(clause, pool, node.b, positive);
  } else {
    clause.push_back({e, positive});
  }
}

/// `path`, and what follows on it from what is assumed: it leaves the waiting loops that it comes through.
event::Expr with_assumptions(event::ExprPool& pool, event::Expr path, const std::vector<Clause>& assumed) {
  std::vector<event::Literal> literals = event::conjuncts(pool, path);
  const auto has = [&](event::Literal literal) {
    return std::binary_search(literals.begin(), literals.end(), literal);
  };
  for (const Clause& clause : assumed) {
    Clause open;
    for (const event::Literal& literal : clause) {
      if (!has({literal.atom, !literal.positive})) open.push_back(literal);
    }
    if (open.size() != 1 || has(open.front())) continue;
    const event::Literal last = open.front();
    path = pool.conjunction(path, last.positive ? last.atom : pool.negation(last.atom));
    literals = event::conjuncts(pool, path);
  }
  return path;
}

}  // namespace

std::set<ThreadLoop> loops_with_races(const Unit& unit) {
  const event::ProgramGraph& graph = unit.graph;
  std::set<ThreadLoop> out;
  for (const Unit::SpinEvents& spin : unit.spins) {
    for (std::size_t e = spin.first; e < spin.last; ++e) {
      const Event& read = graph.events[e];
      if (!read.is_read()) continue;
      const bool races = std::any_of(graph.events.begin(), graph.events.end(), [&](const Event& write) {
        return write.is_write() && write.thread != event::kNoThread && write.thread != read.thread &&
               overlap(graph, read, write) && !morally_strong(graph, read, write);
      });
      if (races) out.insert(spin.loop);
    }
  }
  return out;
}

std::set<ThreadLoop> loops_with_changes(const Unit& unit) {
  const auto open = [&](const Unit::SpinEvents& spin) { return !unit.graph.exprs.is_false(spin.changes); };
  std::set<ThreadLoop> out;
  if (std::none_of(unit.spins.begin(), unit.spins.end(), open)) return out;
  const ValueDomains domains(unit.graph);
  for (const Unit::SpinEvents& spin : unit.spins) {
    if (open(spin) && domains.may_hold(spin.changes)) out.insert(spin.loop);
  }
  return out;
}

bool loses_paths(Unit& unit) {
  std::set<event::Expr> bounds;  // the assumptions that the paths are not taken
  for (const event::Expr cut : unit.cuts) bounds.insert(unit.pool().negation(cut));
  std::vector<Clause> assumed;
  for (const event::Expr holds : unit.graph.assumptions) {
    if (!bounds.contains(holds)) add_to(assumed.emplace_back(), unit.pool(), holds, true);
  }
  std::vector<event::Expr> paths;
  for (const event::Expr cut : unit.cuts) paths.push_back(with_assumptions(unit.pool(), cut, assumed));
  const ValueDomains domains(unit.graph);
  return std::any_of(paths.begin(), paths.end(), [&](event::Expr path) { return domains.may_hold(path); });
}

void link_exits(Unit& unit) {
  event::ProgramGraph& graph = unit.graph;
  for (const Unit::SpinEvents& spin : unit.spins) {
    for (const event::EventId source : graph.exprs.atoms(spin.leaves)) {
      if (!graph.events[source].is_read()) continue;
      for (std::size_t e = spin.last; e < graph.size(); ++e) {
        if (graph.events[e].thread == spin.loop.first && graph.events[e].is_write())
          graph.exits.emplace_back(source, static_cast<event::EventId>(e));
      }
    }
  }
}

}  // namespace ptxmc::lower

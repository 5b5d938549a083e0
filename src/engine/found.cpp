// SPDX-License-Identifier: Apache-2.0
#include "engine/found.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace ptxmc::engine {

namespace {

using event::Datum;
using event::Expr;
using event::Node;
using event::Op;

/// `x_init`, `x+4`; nothing for what needs a name of its own.
std::string plain_name(const event::ExprPool& pool, Expr e) {
  const Node& node = pool[e];
  if (node.op == Op::term) return pool.terms()[node.atom].name;
  if (node.op == Op::zero_extend) return plain_name(pool, node.a);
  if (node.op != Op::add || !pool.is_constant(node.b)) return {};
  const std::string base = plain_name(pool, node.a);
  if (base.empty() || base.find('+') != std::string::npos) return {};
  return fmt::format("{}+{}", base, event::as_signed(pool[node.b].constant, node.width));
}

/// The terms that e is made of, by name and place; of nested functions (a product, a part of it) the innermost.
void collect_terms(const event::ExprPool& pool, Expr root, std::set<std::string>& out) {
  std::vector<Expr> open{root};
  std::set<Expr> seen;
  while (!open.empty()) {
    const Expr e = open.back();
    open.pop_back();
    if (!seen.insert(e).second) continue;
    const Node& node = pool[e];
    if (node.op == Op::term) {
      const event::Term& term = pool.terms()[node.atom];
      out.insert((term.is_place ? "address of " : "") + term.name +
                 (term.line == 0 ? "" : fmt::format(" (line {})", term.line)));
    }
    const Expr operands[] = {node.a, node.b, node.c};
    if (node.op != Op::opaque) {
      open.insert(open.end(), operands, operands + event::arity(node.op));
    } else if (pool[node.a].op == Op::opaque) {
      open.push_back(node.a);
    } else {
      out.insert(pool.functions()[static_cast<std::size_t>(node.constant)]);
    }
  }
}

bool comes_before(const event::ProgramGraph& graph, const State& a, const State& b) {
  const auto symbol = [](const State& state, std::size_t i) {
    return state.symbols.empty() ? std::uint64_t{0} : state.symbols[i];
  };
  for (std::size_t i = 0; i < graph.observables.size(); ++i) {
    if (symbol(a, i) != symbol(b, i)) return symbol(a, i) < symbol(b, i);
    if (symbol(a, i) != 0 || a.values[i] == b.values[i]) continue;
    const event::Width width = graph.observables[i].width;
    return event::as_signed(a.values[i], width) < event::as_signed(b.values[i], width);
  }
  return a.satisfied && !b.satisfied;
}

/// Names for values that have none, in the order of the states, so that they do not depend on who found what.
void number_names(const event::ProgramGraph& graph, std::vector<State*> states) {
  std::sort(states.begin(), states.end(),
            [&](const State* a, const State* b) { return comes_before(graph, *a, *b); });
  std::map<std::uint64_t, std::string> names;
  for (State* state : states) {
    for (std::size_t i = 0; i < state->names.size(); ++i) {
      if (state->symbols[i] == 0 || !state->names[i].empty()) continue;
      state->names[i] = names.try_emplace(state->symbols[i], fmt::format("d{}", names.size())).first->second;
    }
  }
}

/// Some numbers for the terms allow none of the executions that were found.
bool may_fail(event::Symbols& symbols, TermSolver& solver, bool satisfied,
              const std::vector<const Found*>& states, std::optional<double> seconds,
              std::set<std::string>& terms) {
  std::vector<Expr> none;
  event::ExprPool& pool = symbols.pool();
  for (const Found* found : states) {
    for (const std::vector<Expr>& conditions : found->conditions) {
      Expr all = pool.truth(true);
      for (const Expr e : conditions) all = pool.conjunction(all, e);
      if (!found->truth.is_number())
        all = pool.conjunction(all, satisfied ? found->truth.expr : pool.negation(found->truth.expr));
      if (pool.is_true(all)) return false;
      none.push_back(pool.negation(all));
    }
  }
  if (none.empty() || solver.satisfiable(none, seconds) != TermSolver::Answer::yes) return false;
  for (const Expr e : none) collect_terms(pool, e, terms);
  return true;
}

}  // namespace

void name_states(const event::ProgramGraph& graph, event::Symbols& symbols, TermSolver& solver,
                 std::map<StateKey, Found>& found, bool all_states, std::optional<double> seconds,
                 Result& result) {
  event::ExprPool& pool = symbols.pool();
  std::vector<State*> states;
  for (auto& [key, one] : found) {
    states.push_back(&one.state);
    const auto& tuple = key.first;
    if (std::all_of(tuple.begin(), tuple.end(), [](const Datum& d) { return d.is_number(); })) continue;
    std::vector<Expr> truth;
    if (!one.truth.is_number()) truth.push_back(key.second ? one.truth.expr : pool.negation(one.truth.expr));
    one.state.symbols.assign(tuple.size(), 0);
    one.state.names.assign(tuple.size(), "");
    for (std::size_t i = 0; i < tuple.size(); ++i) {
      if (tuple[i].is_number()) continue;
      one.state.symbols[i] = event::structure(pool, tuple[i].expr);
      std::string name = plain_name(pool, tuple[i].expr);
      if (!truth.empty()) {
        // What the condition says of a value is told by its number.
        const auto number = solver.forced(tuple[i].expr, truth, seconds);
        if (number) {
          const event::Observable& observable = graph.observables[i];
          name = observable.is_signed
                     ? fmt::format("{}", event::as_signed(*number, observable.width))
                     : fmt::format("{}", static_cast<std::uint64_t>(event::wrap(*number, observable.width)));
        }
      }
      one.state.names[i] = name;
    }
  }
  number_names(graph, states);
  if (!all_states) return;
  std::vector<const Found*> some, others;
  for (const auto& [key, one] : found) (key.second ? some : others).push_back(&one);
  std::set<std::string> terms;
  result.some_depends = may_fail(symbols, solver, true, some, seconds, terms);
  result.all_depends = may_fail(symbols, solver, false, others, seconds, terms);
  for (const std::string& term : terms) result.depends_on += (result.depends_on.empty() ? "" : ", ") + term;
}

void sort_states(const event::ProgramGraph& graph, std::vector<State>& states) {
  std::sort(states.begin(), states.end(),
            [&](const State& a, const State& b) { return comes_before(graph, a, b); });
}

}  // namespace ptxmc::engine

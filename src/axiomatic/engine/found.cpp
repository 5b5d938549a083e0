// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/engine/found.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "axiomatic/event/expr_places.h"

namespace ptxmc::engine {

namespace {

using event::Expr;
using event::Node;
using event::Op;
using event::SymbolicValue;

/// `x_init`, `x+4`; nothing for what needs a name of its own.
std::string plain_name(const event::ExprPool& pool, Expr e) {
  const Node& node = pool[e];
  if (node.op == Op::term) return pool.terms()[node.atom].name;
  if (node.op == Op::zero_extend) return plain_name(pool, node.a);
  if (node.op != Op::add || !pool.is_constant(node.b)) return {};
  if (const auto sum = event::place_sum(pool, e)) {
    const event::Term& term = pool.terms()[sum->term];
    const bool whole = term.stride != 0 && event::inside(term, sum->offset) && sum->offset % term.stride == 0;
    const auto element = static_cast<std::size_t>(whole ? sum->offset / term.stride : 0);
    if (element > 0 && element < term.elements.size()) return term.elements[element];
  }
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

double for_one_question(const Budget& budget) {
  constexpr double kMost = 1.0;
  return std::clamp(budget.left().value_or(kMost), 0.0, kMost);
}

/// What it takes for a state to be: an execution with it whose path the terms allow, and on that path the
/// proposition true or false as the state says. (What is left of the proposition differs from path to path.)
Expr needed(event::ExprPool& pool, const Found& found, bool satisfied) {
  Expr some = pool.truth(false);
  for (const auto& [conditions, truth] : found.executions) {
    Expr all = pool.truth(true);
    for (const Expr e : conditions) all = pool.conjunction(all, e);
    if (!truth.is_number()) all = pool.conjunction(all, satisfied ? truth.expr : pool.negation(truth.expr));
    some = pool.disjunction(some, all);
  }
  return some;
}

/// Some numbers for the terms allow none of the states that were found.
std::optional<bool> may_fail(event::Symbols& symbols, TermSolver& solver, bool satisfied,
                             const std::vector<const Found*>& states, std::optional<double> seconds,
                             std::set<std::string>& terms) {
  std::vector<Expr> none;
  event::ExprPool& pool = symbols.pool();
  for (const Found* found : states) {
    const Expr all = needed(pool, *found, satisfied);
    if (pool.is_true(all)) return false;
    none.push_back(pool.negation(all));
  }
  if (none.empty()) return false;
  const TermSolver::Answer answer = solver.satisfiable(none, seconds);
  if (answer == TermSolver::Answer::no) return false;
  for (const Expr e : none) collect_terms(pool, e, terms);
  return answer == TermSolver::Answer::yes ? std::optional<bool>(true) : std::nullopt;
}

/// The value of an observable becomes a number where every execution with the state makes it that. False: not
/// decided.
bool settle(event::ExprPool& pool, TermSolver& solver, const StateKey& key, Found& found,
            const Budget& budget) {
  const auto& tuple = key.first;
  found.state.symbols.assign(tuple.size(), 0);
  found.state.names.assign(tuple.size(), "");
  const Expr condition = needed(pool, found, key.second);
  bool undecided = false;
  for (std::size_t i = 0; i < tuple.size(); ++i) {
    if (tuple[i].is_number()) continue;
    const bool asks = !pool.is_true(condition);
    if (asks && budget.over()) {
      undecided = true;
    } else if (asks) {
      const double seconds = for_one_question(budget);
      if (const auto number = solver.forced(tuple[i].expr, {condition}, seconds, undecided)) {
        found.state.values[i] = *number;
        continue;
      }
    }
    found.state.symbols[i] = event::structure(pool, tuple[i].expr);
    found.state.names[i] = plain_name(pool, tuple[i].expr);
  }
  return !undecided;
}

/// Only the first of several that read the same, with a witness if any has one.
void unite(std::map<StateKey, Found>& found) {
  std::map<std::tuple<std::vector<event::Value>, std::vector<std::uint64_t>, bool>, State*> seen;
  for (auto it = found.begin(); it != found.end();) {
    State& state = it->second.state;
    std::vector<event::Value> numbers = state.values;
    for (std::size_t i = 0; i < state.symbols.size(); ++i) {
      if (state.symbols[i] != 0) numbers[i] = 0;
    }
    std::vector<std::uint64_t> symbols = state.symbols;
    symbols.resize(numbers.size(), 0);
    const auto [place, fresh] = seen.try_emplace({numbers, symbols, state.satisfied}, &state);
    if (fresh) {
      ++it;
      continue;
    }
    State& first = *place->second;
    if (first.witness.exists.size() == 0) std::swap(first, state);
    it = found.erase(it);
  }
}

}  // namespace

bool name_states(const Query& query, event::Symbols& symbols, TermSolver& solver,
                 std::map<StateKey, Found>& found, bool all_states, Result& result) {
  if (all_states) {
    std::vector<const Found*> some, others;
    for (const auto& [key, one] : found) (key.second ? some : others).push_back(&one);
    std::set<std::string> terms;
    const double seconds = for_one_question(query.budget);
    result.some_depends = may_fail(symbols, solver, true, some, seconds, terms);
    result.all_depends = may_fail(symbols, solver, false, others, seconds, terms);
    for (const std::string& term : terms) result.depends_on += (result.depends_on.empty() ? "" : ", ") + term;
  }
  bool decided = true;
  for (auto& [key, one] : found) {
    const auto is_number = [](const SymbolicValue& d) { return d.is_number(); };
    if (!std::all_of(key.first.begin(), key.first.end(), is_number))
      decided = settle(symbols.pool(), solver, key, one, query.budget) && decided;
  }
  unite(found);
  std::vector<State*> states;
  states.reserve(found.size());
  for (auto& [key, one] : found) states.push_back(&one.state);
  number_names(query.graph, states);
  return decided;
}

void sort_states(const event::ProgramGraph& graph, std::vector<State>& states) {
  std::sort(states.begin(), states.end(),
            [&](const State& a, const State& b) { return comes_before(graph, a, b); });
}

}  // namespace ptxmc::engine

// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/engine/explicit/encode.h"

#include <algorithm>
#include <set>

#include "axiomatic/event/guards.h"
#include "support/check.h"

namespace ptxmc::engine::explicit_ {

namespace {

using event::Expr;
using event::Node;
using event::Op;
using event::SymbolicValue;

}  // namespace

Encoding::Encoding(const Query& query, Path& path, ChoiceSolver& solver,
                   const std::vector<relation::BitMatrix>& over)
    : query_(query), path_(path), solver_(solver), true_(solver.new_var(kReadsFrom, true), true) {
  require({true_});
  add_reads_from();
  add_orders(over);
}

void Encoding::add_reads_from() {
  sources_.resize(path_.slots());
  const bool sequential = wants_any_execution();
  for (std::size_t r = 0; r < path_.slots(); ++r) {
    if (!path_.event(path_.owner(r)).is_read()) continue;
    const std::vector<std::size_t>& writes = path_.sources(r);
    std::vector<ChoiceLit> literals;
    const std::size_t hint = sequential && !writes.empty() ? last_before(r, writes) : path_.slots();
    for (std::size_t w : writes) {
      const ChoiceLit l =
          writes.size() == 1 ? true_ : ChoiceLit(solver_.new_var(kReadsFrom, w == hint), true);
      sources_[r].push_back({w, l});
      literals.push_back(l);
    }
    if (writes.size() > 1) consistent_ = solver_.add_exactly_one(literals) && consistent_;
  }
}

// Any execution will do: one thread after the other is a good guess.
bool Encoding::wants_any_execution() const {
  const event::ProgramGraph& graph = query_.graph;
  return query_.ask == Ask::verdict && graph.goal != event::Goal::forall &&
         graph.exprs.is_true(graph.proposition);
}

// The write that a read finds in memory if threads run one after the other.
std::size_t Encoding::last_before(std::size_t read, const std::vector<std::size_t>& writes) const {
  const auto time = [&](std::size_t w) -> std::size_t {
    const bool initial = path_.event(path_.owner(w)).kind == event::EventKind::initial_write;
    if (path_.owner(w) > path_.owner(read) && !initial) return 0;
    return initial ? 1 : path_.owner(w) + 2;
  };
  return *std::max_element(writes.begin(), writes.end(),
                           [&](std::size_t a, std::size_t b) { return time(a) < time(b); });
}

Alternatives Encoding::fresh(const std::vector<SymbolicValue>& values, int decision_class) {
  Alternatives out;
  std::vector<ChoiceLit> literals;
  for (const SymbolicValue v : values) {
    ChoiceLit l = true_;
    if (values.size() == 2 && !literals.empty()) {
      l = ~literals[0];
    } else if (values.size() > 1) {
      l = ChoiceLit(solver_.new_var(decision_class, false), true);
    }
    out.push_back({v, l});
    literals.push_back(l);
  }
  if (values.size() > 2) consistent_ = solver_.add_exactly_one(literals) && consistent_;
  return out;
}

void Encoding::encode_values() {
  read_values_.resize(path_.slots());
  for (std::size_t s = 0; s < path_.slots(); ++s) {
    const event::Event& access = path_.event(path_.owner(s));
    const bool choosing = access.kind == event::EventKind::initial_write && !access.choices.empty();
    if (path_.decides(s) && (access.is_read() || choosing))
      read_values_[s] = fresh(path_.domain(s), choosing ? kReadsFrom : kValue);
  }
  for (std::size_t r = 0; r < path_.slots(); ++r) {
    if (!path_.decides(r)) continue;
    for (const auto& [w, l] : sources_[r]) {
      if (solver_.value(l) >= 0) pass_value(l, path_.value_of(w), read_values_[r]);
    }
  }
  for (Expr e : path_.constraints()) require_truth(e);
}

// condition implies that `to` has the value of `from`.
void Encoding::pass_value(ChoiceLit condition, Expr from, const Alternatives& to) {
  for (const auto& [v, has] : value(from)) {
    const auto it = std::find_if(to.begin(), to.end(),
                                 [&, value = v](const auto& option) { return option.first == value; });
    if (it == to.end()) {
      require({~condition, ~has});
    } else {
      require({~condition, ~has, it->second});
    }
  }
}

void Encoding::choose_final(event::CellId cell) {
  if (finals_.contains(cell)) return;
  const std::vector<std::size_t>& writes = path_.writes_of(cell);
  PTXMC_CHECK(!writes.empty(), "every cell has an initial write");
  std::vector<std::pair<std::size_t, ChoiceLit>>& options = finals_[cell];
  std::vector<ChoiceLit> literals;
  for (std::size_t w : writes) {
    const ChoiceLit l = writes.size() == 1 ? true_ : ChoiceLit(solver_.new_var(kFinal, false), true);
    options.push_back({w, l});
    literals.push_back(l);
  }
  if (writes.size() > 1) consistent_ = solver_.add_exactly_one(literals) && consistent_;
}

void Encoding::choose_finals(Expr e) {
  std::set<Expr> seen;
  std::vector<Expr> open{e};
  while (!open.empty()) {
    const Expr next = open.back();
    open.pop_back();
    if (!seen.insert(next).second) continue;
    const Node& node = path_.exprs()[next];
    if (node.op == Op::final_value) choose_final(node.atom);
    const Expr operands[] = {node.a, node.b, node.c};
    open.insert(open.end(), operands, operands + event::arity(node.op));
  }
}

Alternatives Encoding::final_alternatives(event::CellId cell) {
  choose_final(cell);
  const std::vector<std::pair<std::size_t, ChoiceLit>>& options = finals_[cell];
  std::vector<SymbolicValue> all;
  for (const auto& [w, l] : options) {
    for (const auto& option : value(path_.value_of(w))) all.push_back(option.first);
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  if (all.size() > kMaxShown) throw Undecided("values");
  Alternatives out = fresh(all, kValue);
  for (const auto& [w, l] : options) pass_value(l, path_.value_of(w), out);
  return out;
}

void Encoding::join_final_reads() {
  const event::ProgramGraph& graph = query_.graph;
  for (const auto& cells : graph.final_reads) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      for (std::size_t j = i + 1; j < cells.size(); ++j) {
        if (!finals_.contains(cells[i]) || !finals_.contains(cells[j])) continue;
        for (const auto& [w, one] : finals_.at(cells[i])) {
          for (const auto& [v, other] : finals_.at(cells[j])) {
            const event::EventId a = path_.events()[path_.owner(w)], b = path_.events()[path_.owner(v)];
            if (event::torn_between(graph, a, cells[i], b, cells[j])) require({~one, ~other});
          }
        }
      }
    }
  }
}

const Alternatives& Encoding::value(Expr e) {
  if (const auto it = values_.find(e); it != values_.end()) return it->second;
  const Node node = path_.exprs()[e];
  Alternatives out;
  if (node.op == Op::constant) {
    out = {{SymbolicValue{node.constant, {}}, true_}};
  } else if (node.op == Op::term) {
    out = {{path_.symbols().term(node.atom), true_}};
  } else if (node.op == Op::value_of) {
    const std::size_t s = path_.slot_of(node);
    out = s < path_.slots() ? read_values_[s] : Alternatives{{SymbolicValue{}, true_}};
  } else if (node.op == Op::final_value) {
    out = final_alternatives(node.atom);
  } else {
    out = recursion_.deeper([&] { return combine(e); });
  }
  return values_[e] = std::move(out);
}

// The value of an operator: each combination of operand values implies its result.
Alternatives Encoding::combine(Expr e) {
  const Node node = path_.exprs()[e];
  const int operands = event::arity(node.op);
  const Alternatives none{{SymbolicValue{}, true_}};
  const Alternatives& as = value(node.a);
  const Alternatives& bs = operands > 1 ? value(node.b) : none;
  const Alternatives& cs = operands > 2 ? value(node.c) : none;
  if (as.size() * bs.size() * cs.size() > kMaxCombinations) throw Undecided("values");
  std::map<SymbolicValue, std::vector<Clause>> results;  // the combinations that give a value, negated
  for (const auto& [a, la] : as) {
    for (const auto& [b, lb] : bs) {
      for (const auto& [c, lc] : cs) {
        Clause unless;
        for (ChoiceLit l : {la, lb, lc}) {
          if (l != true_) unless.push_back(~l);
        }
        results[path_.symbols().apply(path_.exprs(), node, a, b, c)].push_back(std::move(unless));
      }
    }
  }
  if (results.size() > kMaxShown) throw Undecided("values");
  Alternatives out;
  std::vector<SymbolicValue> values;
  bool direct = true;  // each value comes from one combination of one literal: no new variables
  for (const auto& [v, clauses] : results) {
    values.push_back(v);
    direct = direct && clauses.size() == 1 && clauses[0].size() == 1;
  }
  if (direct && values.size() > 1) {
    for (const auto& [v, clauses] : results) out.push_back({v, ~clauses[0][0]});
    return out;
  }
  out = fresh(values, kValue);
  if (values.size() == 1) return out;
  for (const auto& [v, l] : out) {
    for (Clause clause : results[v]) {
      clause.push_back(l);
      require(std::move(clause));
    }
  }
  return out;
}

ChoiceLit Encoding::equals(Expr e, SymbolicValue wanted) {
  for (const auto& [v, l] : value(e)) {
    if (v == wanted) return l;
  }
  return ~true_;
}

void Encoding::require_truth(Expr e, bool positive) {
  const bool gate = path_.exprs().has_terms() && !event::is_leaf(path_.exprs(), e);
  if (gate) return require({positive ? decide_truth(e) : ~decide_truth(e)});
  const ChoiceLit holds = equals(e, SymbolicValue{1, {}});
  const auto is_number = [](const auto& option) { return option.first.is_number(); };
  const Alternatives& alternatives = value(e);
  if (std::all_of(alternatives.begin(), alternatives.end(), is_number))
    return require({positive ? holds : ~holds});
  require({~equals(e, SymbolicValue{positive ? 0 : 1, {}})});
  for (const auto& [v, l] : alternatives) {
    if (v.is_number()) continue;
    const Expr truth = positive ? v.expr : path_.symbols().pool().negation(v.expr);
    obligations_.push_back({l, true_, truth});
  }
}

// Connectives become gates: a table of the values over terms that their operands may have would be a product.
ChoiceLit Encoding::decide_truth(Expr e) {
  if (!path_.exprs().has_terms()) return equals(e, SymbolicValue{1, {}});
  if (const auto it = truths_.find(e); it != truths_.end()) return it->second;
  const Node node = path_.exprs()[e];
  ChoiceLit holds = true_;
  if (node.op == Op::constant) {
    holds = node.constant != 0 ? true_ : ~true_;
  } else if (node.op == Op::not_) {
    holds = ~decide_truth(node.a);
  } else if (event::is_leaf(path_.exprs(), e)) {
    holds = decide_leaf(e);
  } else {
    holds = ChoiceLit(solver_.new_var(kValue, true), true);
    const ChoiceLit a = decide_truth(node.a), b = decide_truth(node.b);
    if (node.op == Op::and_ || node.op == Op::or_) {
      const auto sign = [&](ChoiceLit l) { return node.op == Op::and_ ? l : ~l; };
      require({~sign(holds), sign(a)});
      require({~sign(holds), sign(b)});
      require({sign(holds), ~sign(a), ~sign(b)});
    } else {
      PTXMC_CHECK(node.op == Op::xor_ || node.op == Op::ite, "a connective of truth values");
      const ChoiceLit then = node.op == Op::ite ? b : ~b;
      const ChoiceLit otherwise = node.op == Op::ite ? decide_truth(node.c) : b;
      for (const ChoiceLit l : {holds, ~holds}) {
        require({~a, ~l, l == holds ? then : ~then});
        require({a, ~l, l == holds ? otherwise : ~otherwise});
      }
    }
  }
  return truths_[e] = holds;
}

ChoiceLit Encoding::decide_leaf(Expr e) {
  const Alternatives& alternatives = value(e);
  const bool numbers = std::all_of(alternatives.begin(), alternatives.end(),
                                   [](const auto& option) { return option.first.is_number(); });
  if (numbers) return equals(e, SymbolicValue{1, {}});
  const ChoiceLit holds(solver_.new_var(kValue, true), true);
  for (const auto& [v, l] : alternatives) {
    if (v.is_number()) {
      require({~l, v.value != 0 ? holds : ~holds});
    } else {
      obligations_.push_back({l, holds, v.expr});
      obligations_.push_back({l, ~holds, path_.symbols().pool().negation(v.expr)});
    }
  }
  return holds;
}

SymbolicValue Encoding::current_atom(const Node& node) {
  if (node.op == Op::term) return path_.symbols().term(node.atom);
  if (node.op == Op::final_value) {
    for (const auto& [w, l] : finals_.at(node.atom)) {
      if (solver_.is_true(l)) return current(path_.value_of(w));
    }
  } else {
    const std::size_t s = path_.slot_of(node);
    if (s >= path_.slots()) return {};
    if (!path_.decides(s)) return followed(s);
    for (const auto& [v, l] : read_values_[s]) {
      if (solver_.is_true(l)) return v;
    }
  }
  PTXMC_CHECK(false, "a complete assignment gives every expression a value");
  return {};
}

// The value of a slot that no condition rests on: what it is read from; of initial memory that may be
// anything, its first choice.
SymbolicValue Encoding::followed(std::size_t slot) {
  if (const auto it = followed_.find(slot); it != followed_.end()) return it->second;
  const event::Event& access = path_.event(path_.owner(slot));
  SymbolicValue out;
  if (access.is_read()) {
    for (const auto& [w, l] : sources_[slot]) {
      if (solver_.is_true(l)) out = recursion_.deeper([&, w = w] { return current(path_.value_of(w)); });
    }
  } else {
    PTXMC_CHECK(!access.choices.empty(), "values are of reads and of initial writes that choose");
    out = {*std::min_element(access.choices.begin(), access.choices.end()), {}};
  }
  return followed_[slot] = out;
}

// Not through value(): an expression that no clause speaks of has no literals.
SymbolicValue Encoding::current(Expr e) {
  if (path_.exprs().has_terms()) {
    std::map<Expr, SymbolicValue> known;
    return current_symbolic(e, known);
  }
  const auto atom = [this](const Node& node) -> std::optional<event::Value> {
    return current_atom(node).value;
  };
  const std::optional<event::Value> value = path_.exprs().evaluate(e, atom);
  PTXMC_CHECK(value.has_value(), "a complete assignment gives every expression a value");
  return {*value, {}};
}

// With a stack of its own: expressions of unrolled loops may be deeper than the call stack.
SymbolicValue Encoding::current_symbolic(Expr root, std::map<Expr, SymbolicValue>& known) {
  std::vector<Expr> open{root};
  while (!open.empty()) {
    const Expr e = open.back();
    if (known.contains(e)) {
      open.pop_back();
      continue;
    }
    const Node node = path_.exprs()[e];
    const Expr operands[] = {node.a, node.b, node.c};
    const int count = event::arity(node.op);
    const auto missing = std::find_if(operands, operands + count, [&](Expr x) { return !known.contains(x); });
    if (missing != operands + count) {
      open.push_back(*missing);
      continue;
    }
    const auto operand = [&](int k) { return k < count ? known.at(operands[k]) : SymbolicValue{}; };
    if (node.op == Op::constant) {
      known[e] = {node.constant, {}};
    } else if (count == 0) {
      known[e] = current_atom(node);
    } else {
      known[e] = path_.symbols().apply(path_.exprs(), node, operand(0), operand(1), operand(2));
    }
    open.pop_back();
  }
  return known.at(root);
}

void Encoding::add_orders(const std::vector<relation::BitMatrix>& over) {
  orders_.resize(over.size());
  edge_ids_.resize(over.size());
  for (std::size_t k = 0; k < over.size(); ++k) {
    const bool partial = query_.model.orders[k].partial;
    relation::BitMatrix either(over[k].size());
    either.assign_inverse(over[k]);
    either |= over[k];
    either.for_each([&](std::size_t a, std::size_t b) {
      if (b <= a) return;
      const ChoiceLit forward(solver_.new_var(kOrder, !partial), true);
      ChoiceLit backward = ~forward;
      if (partial) {
        backward = ChoiceLit(solver_.new_var(kOrder, false), true);
        require({~forward, ~backward});
      }
      edge_ids_[k][{a, b}] = orders_[k].size();
      orders_[k].push_back({a, b, forward, backward});
    });
  }
}

const Encoding::Edge* Encoding::edge(std::uint32_t order, std::size_t a, std::size_t b) const {
  const auto it = edge_ids_[order].find({std::min(a, b), std::max(a, b)});
  return it == edge_ids_[order].end() ? nullptr : &orders_[order][it->second];
}

}  // namespace ptxmc::engine::explicit_

// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/engine/smt/session.h"

#include <algorithm>
#include <map>

#include "axiomatic/engine/smt/symmetry.h"
#include "support/check.h"

namespace ptxmc::engine::smt {

using event::EventId;
using relation::BitMatrix;
using relation::Constraint;

namespace {

Reach find_reach(const Task& task) {
  const relation::MemoryModel& model = task.query.model;
  Reach reach(model.tree);
  const auto visit = [&](const Constraint& constraint) {
    std::visit([&](auto expression) { reach.visit(expression, need_of(constraint)); }, constraint.expression);
  };
  for (const Constraint& axiom : model.axioms) visit(axiom);
  if (task.goal) visit(*task.goal);
  reach.visit(model.coherence, Need{true, false});
  for (const relation::OrderDeclaration& order : model.orders) reach.visit(order.over, Need{true, true});
  return reach;
}

}  // namespace

Session::Session(const Task& task, const Sources& sources, const Guards& guards, const ValueFlow& flow,
                 const Deadline& deadline)
    : task_(task),
      query_(task.query),
      deadline_(deadline),
      guards_(guards),
      sources_(sources),
      circuit_(task.query.effort ? task.query.effort->literals : kMostLiterals),
      solver_(task.query.effort ? std::optional(task.query.effort->steps) : std::nullopt),
      cnf_(circuit_, solver_),
      reach_(find_reach(task)),
      program_(query_, guards, sources, flow, reach_, task.free_values, circuit_, cnf_, deadline),
      open_values_(query_.graph, sources) {
  const double start = deadline.elapsed();
  const OpenBases open{sources_, program_.enumerated_bounds()};
  bounds_ = std::make_unique<Bounds>(query_.graph, query_.base, query_.signature, query_.model, guards_, open,
                                     reach_);
  relations_ =
      std::make_unique<Relations>(query_, *bounds_, reach_, guards_, program_, circuit_, cnf_, deadline_);
  encode();
  encode_seconds_ = deadline.elapsed() - start;
}

void Session::encode() {
  const relation::MemoryModel& model = query_.model;
  for (const Constraint& axiom : model.axioms) {
    if (const auto r = acyclic_relation(model.tree, axiom)) relations_->assume_acyclic(*r);
  }
  const std::size_t n = query_.graph.size();
  for (const Constraint& axiom : model.axioms) require(*relations_, axiom, n);
  if (task_.goal) require(*relations_, *task_.goal, n);
  require_maximal(*relations_, query_, program_);
  Values& values = program_.values();
  cnf_.require(values.truth(query_.graph.filter));  // before anything is asked: states and flags alike
  if (task_.wants_state) {
    const Lit holds = values.truth(query_.graph.proposition);
    cnf_.require(query_.graph.goal == event::Goal::forall ? !holds : holds);
  }
  ordered_.resize(model.orders.size());
  for (std::uint32_t order = 0; order < model.orders.size(); ++order) {
    const BitMatrix& over = bounds_->of(model.orders[order].over).may;
    for (EventId a = 0; a < n; ++a) {
      for (EventId b = a + 1; b < n; ++b) {
        if (!over.test(a, b) && !over.test(b, a)) continue;
        ordered_[order].push_back({a, b, relations_->choice(order, a, b), relations_->choice(order, b, a)});
      }
    }
  }
  if (task_.wants_state || task_.goal)
    break_symmetry();  // one execution is asked for, any of its images will do
  for (const event::Observable& observable : query_.graph.observables) values.encode(observable.value);
  values.encode(query_.graph.proposition);
  for (event::SlotId s = 0; query_.graph.unbounded && s < query_.graph.slot_count(); ++s) {
    if (query_.graph.events[query_.graph.slot(s).event].is_write()) values.encode(query_.graph.slot(s).value);
  }
  require_places();
  if (values.overflow().empty()) return;
  no_overflow_ = circuit_.input();
  for (const Lit lit : values.overflow()) cnf_.require_any({!*no_overflow_, !lit});
}

// A total choice over the events at one position of interchangeable threads is a tournament, which has a
// Hamiltonian path (Redei, 1934): rename the threads along it. One position for each class.
void Session::break_symmetry() {
  const auto& orders = query_.model.orders;
  if (orders.empty()) return;
  for (const Interchangeable& threads : interchangeable_threads(query_, reach_, task_.wants_state)) {
    const auto usable = [&](std::uint32_t order, std::size_t at) {
      const BitMatrix& over = bounds_->of(orders[order].over).must;
      for (std::size_t i = 0; i < threads.size(); ++i) {
        for (std::size_t j = i + 1; j < threads.size(); ++j) {
          const EventId a = threads[i][at], b = threads[j][at];
          if (!(over.test(a, b) || over.test(b, a)) || program_.both(a, b) != kTrue) return false;
        }
      }
      return !orders[order].partial;
    };
    bool broken = false;
    for (std::size_t at = 0; at < threads.front().size() && !broken; ++at) {
      for (std::uint32_t order = 0; order < orders.size() && !broken; ++order) {
        if (!usable(order, at)) continue;
        for (std::size_t i = 0; i + 1 < threads.size(); ++i) {
          cnf_.require(relations_->choice(order, threads[i][at], threads[i + 1][at]));
        }
        broken = true;
      }
    }
  }
}

std::optional<double> Session::time_left() const {
  const auto left = deadline_.left();
  if (left && *left <= 0) throw OutOfTime();
  return left;
}

Answer Session::overflows() {
  if (!no_overflow_) return Answer::unsatisfiable;
  const Lit some = circuit_.disjunction(program_.values().overflow());
  const Lit asked = circuit_.input();
  cnf_.require_implies(asked, some);
  const std::vector<Lit> assumptions{asked};
  return solver_.check(time_left(), assumptions, deadline_.budget().stop());
}

Answer Session::next() {
  for (;;) {
    std::vector<Lit> assumptions;
    if (no_overflow_) assumptions.push_back(*no_overflow_);
    const double start = deadline_.elapsed();
    const Answer answer = solver_.check(time_left(), assumptions, deadline_.budget().stop());
    solve_seconds_ += deadline_.elapsed() - start;
    ++checks_;
    if (answer != Answer::satisfiable) {
      if (answer == Answer::unknown) deadline_.check();
      return answer;
    }
    model_ = solver_.model(circuit_.nodes());
    if (!refute_calls() && relations_->fixed_points().refute_unfounded(model_)) return answer;
  }
}

// Places of variables: aligned, inside the address space, and apart from others of their window.
void Session::require_places() {
  Values& values = program_.values();
  Words& words = values.words();
  const auto& terms = query_.graph.exprs.terms();
  const auto is_place = [&](event::Expr e) { return terms[query_.graph.exprs[e].atom].is_place; };
  if (std::none_of(values.terms().begin(), values.terms().end(), is_place)) return;
  placed_ = true;
  struct Placed {
    std::uint32_t id = 0;
    Word begin, end;  // wide enough for no sum to wrap
  };
  std::vector<Placed> ranges;
  for (std::uint32_t id = 0; id < terms.size(); ++id) {
    if (!terms[id].is_place) continue;
    const auto e = query_.graph.exprs.find_term(id);
    if (!e) continue;
    const Word& place = values.word(*e);
    for (std::size_t bit = 0; (event::Value{1} << bit) < terms[id].alignment; ++bit)
      cnf_.require(!place[bit]);
    Word begin = place;
    begin.resize(66, kFalse);
    Word size = words.constant(terms[id].size, 64);
    size.resize(66, kFalse);
    std::vector<Lit> none;
    const Word end = words.apply(event::Op::add, 66, begin, size, none);
    Word limit(66, kFalse), least = words.constant(terms[id].least, 64);
    least.resize(66, kFalse);
    const Word stated = words.constant(terms[id].limit == 0 ? -1 : terms[id].limit, terms[id].width);
    std::copy(stated.begin(), stated.end(), limit.begin());
    const auto at_most = [&](const Word& a, const Word& b) {
      return words.apply(event::Op::le_u, 1, a, b, none).front();
    };
    cnf_.require(at_most(end, limit));
    cnf_.require(at_most(least, begin));
    for (const Placed& other : ranges) {
      if (!event::apart(terms[other.id], terms[id])) continue;
      cnf_.require_any({at_most(other.end, begin), at_most(end, other.begin)});
    }
    ranges.push_back({id, begin, end});
  }
}

// Equal operands, equal results: clauses for the calls of the model that say otherwise.
bool Session::refute_calls() {
  Values& values = program_.values();
  if (values.calls().empty()) return false;
  const event::ExprPool& pool = query_.graph.exprs;
  Valuation bits(circuit_, model_);
  std::map<event::Valuation::Call, event::Expr> seen;
  std::vector<std::pair<event::Expr, event::Expr>> wrong;
  for (const event::Expr e : values.calls()) {
    const event::Node& node = pool[e];
    const event::Valuation::Call call{node.constant,
                                      node.width,
                                      pool[node.a].width,
                                      pool[node.b].width,
                                      values.value(node.a, bits),
                                      values.value(node.b, bits)};
    const auto [place, fresh] = seen.try_emplace(call, e);
    if (!fresh && values.value(e, bits) != values.value(place->second, bits))
      wrong.emplace_back(place->second, e);
  }
  for (const auto& [x, y] : wrong) {
    const event::Node &a = pool[x], &b = pool[y];
    Words& words = values.words();
    cnf_.require_any({!words.equal(values.word(a.a), values.word(b.a)),
                      !words.equal(values.word(a.b), values.word(b.b)),
                      words.equal(values.word(x), values.word(y))});
  }
  return !wrong.empty();
}

event::Valuation Session::valuation(Valuation& bits) {
  event::Valuation out;
  Values& values = program_.values();
  const event::ExprPool& pool = query_.graph.exprs;
  for (const event::Term& term : pool.terms()) out.terms.push_back(event::wrap(term.sample, term.width));
  for (const event::Expr e : values.terms()) out.terms[pool[e].atom] = values.value(e, bits);
  for (const event::Expr e : values.calls()) {
    const event::Node& node = pool[e];
    out.functions[{node.constant, node.width, pool[node.a].width, pool[node.b].width,
                   values.value(node.a, bits), values.value(node.b, bits)}] = values.value(e, bits);
  }
  return out;
}

// What nothing that is asked rests on has no circuit. To give it one now would give the calls in it results of
// their own, whatever the same calls are elsewhere.
event::Value Session::value_in(const event::Valuation& terms, event::Expr e, Valuation& bits) {
  const event::ProgramGraph& graph = query_.graph;
  Values& values = program_.values();
  if (values.is_encoded(e) || !graph.exprs.has_terms()) return values.value(e, bits);
  const auto atom = [&](const event::Node& node) {
    return std::optional<event::Value>(values.value(graph.slot(graph.slot_of(node)).value, bits));
  };
  return graph.exprs.evaluate(e, atom, &terms).value_or(0);
}

State Session::state(bool with_witness) {
  Valuation valuation(circuit_, model_);
  State state;
  for (const event::Observable& observable : query_.graph.observables) {
    state.values.push_back(program_.values().value(observable.value, valuation));
  }
  state.satisfied = valuation(program_.values().truth(query_.graph.proposition));
  if (with_witness) state.witness = execution(valuation);
  return state;
}

event::Execution Session::execution(Valuation& valuation) {
  const event::ProgramGraph& graph = query_.graph;
  const std::size_t n = graph.size();
  event::Execution execution;
  if (graph.exprs.has_terms()) execution.valuation = this->valuation(valuation);
  const auto value = [&](event::Expr e) { return value_in(execution.valuation, e, valuation); };
  for (const event::Decision& decision : graph.decisions) {
    const bool taken = value(decision.guard) != 0;
    const bool yes = taken && value(decision.condition) != 0;
    execution.decisions.push_back(!taken ? event::Truth::unset : yes ? event::Truth::yes : event::Truth::no);
  }
  execution.exists = relation::BitSet(n);
  execution.values.assign(graph.slot_count(), 0);
  execution.reads_from.assign(graph.slot_count(), event::kNoEvent);
  for (event::SlotId s = 0; s < graph.slot_count(); ++s) {
    const event::Slot slot = graph.slot(s);
    if (!valuation(program_.exists(slot.event))) continue;
    execution.exists.set(slot.event);
    if (graph.events[slot.event].is_access()) execution.values[s] = value(slot.value);
    if (!graph.events[slot.event].is_read()) continue;
    for (const event::SlotId w : sources_[s]) {
      const EventId source = graph.slot(w).event;
      if (valuation(program_.reads_from(source, slot.event, slot.cell))) execution.reads_from[s] = source;
    }
    PTXMC_CHECK(execution.reads_from[s] != event::kNoEvent, "a read without a source");
  }
  execution.final_writes.assign(graph.cells.size(), event::kNoEvent);
  for (event::CellId cell = 0; cell < graph.cells.size(); ++cell) {
    for (const Program::FinalChoice& choice : program_.finals(cell)) {
      if (valuation(choice.chosen)) execution.final_writes[cell] = choice.write;
    }
  }
  for (const auto& pairs : ordered_) {
    BitMatrix& matrix = execution.orders.emplace_back(n);
    for (const OrderedPair& pair : pairs) {
      if (valuation(pair.forward)) matrix.set(pair.a, pair.b);
      if (valuation(pair.backward)) matrix.set(pair.b, pair.a);
    }
  }
  execution.enumerated.resize(query_.base.relations.size());
  for (std::uint32_t base = 0; base < execution.enumerated.size(); ++base) {
    for (const Alternative& alternative : program_.alternatives(base)) {
      if (valuation(alternative.chosen)) execution.enumerated[base] = alternative.value;
    }
  }
  return execution;
}

bool Session::exclude(const State& state) {
  std::vector<Lit> clause;
  for (std::size_t i = 0; i < state.values.size(); ++i) {
    clause.push_back(!program_.values().equals(query_.graph.observables[i].value, state.values[i]));
  }
  const bool more = std::any_of(clause.begin(), clause.end(), [](Lit lit) { return lit != kFalse; });
  cnf_.require_any(std::move(clause));
  return more;
}

Session::OpenState Session::open_state(const State& state, event::Closed& closed) {
  OpenState open;
  closed.enter(state.witness);
  for (const event::Observable& observable : query_.graph.observables)
    open.key.first.push_back(closed.datum(observable.value));
  open.key.second = state.satisfied;
  open.truth = closed.datum(query_.graph.proposition);
  open.conditions = closed.obligations();
  return open;
}

bool Session::exclude(const State& state, const OpenState& open, const event::Closed& closed) {
  const event::ProgramGraph& graph = query_.graph;
  Values& values = program_.values();
  std::vector<Lit> clause;
  event::Closed::Support support;
  for (std::size_t i = 0; i < state.values.size(); ++i) {
    const event::Expr e = graph.observables[i].value;
    if (open_values_.may_be_open(e)) {
      closed.add_support(e, support);
    } else {
      clause.push_back(!values.equals(e, state.values[i]));
    }
  }
  const Lit holds = values.truth(graph.proposition);
  clause.push_back(state.satisfied ? !holds : holds);
  if (!open.truth.is_number()) closed.add_support(graph.proposition, support);
  if (!open.conditions.empty()) {
    closed.add_support(graph.filter, support);
    for (const event::Expr e : graph.assumptions) closed.add_support(e, support);
    for (std::size_t d = 0; d < graph.decisions.size(); ++d) {
      if (state.witness.decisions[d] == event::Truth::unset) continue;
      support.decisions.insert(d);
      closed.add_support(graph.decisions[d].condition, support);
    }
  }
  for (const event::SlotId s : support.slots) {
    const event::Slot slot = graph.slot(s);
    clause.push_back(!program_.reads_from(state.witness.reads_from[s], slot.event, slot.cell));
  }
  for (const event::CellId cell : support.cells) {
    for (const Program::FinalChoice& choice : program_.finals(cell)) {
      if (choice.write == state.witness.final_writes[cell]) clause.push_back(!choice.chosen);
    }
  }
  for (const std::size_t d : support.decisions) {
    const bool yes = state.witness.decisions[d] == event::Truth::yes;
    const Lit condition = values.truth(graph.decisions[d].condition);
    clause.push_back(!values.truth(graph.decisions[d].guard));
    clause.push_back(yes ? !condition : condition);
  }
  const bool more = std::any_of(clause.begin(), clause.end(), [](Lit lit) { return lit != kFalse; });
  cnf_.require_any(std::move(clause));
  return more;
}

void Session::statistics(std::map<std::string, double>& out) const {
  out["variables"] += static_cast<double>(solver_.variables());
  out["clauses"] += static_cast<double>(solver_.clauses());
  out["gates"] += static_cast<double>(circuit_.nodes());
  out["checks"] += static_cast<double>(checks_);
  out["encode-seconds"] += encode_seconds_;
  out["solve-seconds"] += solve_seconds_;
}

}  // namespace ptxmc::engine::smt

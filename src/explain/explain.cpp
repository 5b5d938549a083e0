// SPDX-License-Identifier: Apache-2.0
// Minimal sets of axioms.
//
// An outcome is forbidden by a set of axioms when no candidate execution that satisfies them shows it; more
// axioms forbid more. Asked with no axiom at all, an engine says whether values alone exclude it. Then each
// axiom by itself: one that forbids alone is a minimal set, and the first in the order of the text leads the
// report. Where none does, axioms are dropped one after the other, the last first, while the outcome stays
// forbidden: what is left is minimal. With a handful of axioms and an engine that answers in milliseconds,
// nothing cleverer pays.
//
// "The final value is that of a last write in coherence" is no line of the model text but acts as one. Where
// no axiom is needed, it is asked whether the outcome is excluded without that line too; if not, it is the
// axiom that forbids, under the name of the one that makes coherence an order.
//
// Engines do not make up values that justify themselves (speculate.h); where that alone keeps an answer open,
// values are guessed. An outcome that no guess reaches counts as not reached.
//
// For each axiom a of the set, an execution that violates a and as few others as possible: of the model
// without a, or without all that forbid alone, or else axioms are added one by one as long as there is an
// execution.
#include "explain/explain.h"

#include <algorithm>
#include <set>

#include "axiomatic/recheck/agree.h"
#include "axiomatic/recheck/recheck.h"
#include "explain/thin_air.h"
#include "model/cat/print.h"

namespace ptxmc::explain {

using event::EventId;
using event::kNoEvent;

namespace {

std::string_view test_name(relation::Test test) {
  switch (test) {
    case relation::Test::acyclic:
      return "acyclic";
    case relation::Test::irreflexive:
      return "irreflexive";
    case relation::Test::empty:
      return "empty";
  }
  return "";
}

std::string text_of(const engine::Query& query, const relation::Constraint& axiom) {
  const auto printed = std::visit(
      [&](const auto& value) { return cat::print(query.model, query.signature, value); }, axiom.expression);
  return std::string(axiom.negated ? "~" : "") + std::string(test_name(axiom.test)) + " " + printed;
}

/// Does the condition look at final values of memory?
bool asks_for_finals(const event::ProgramGraph& graph) {
  std::set<std::uint32_t> seen;
  std::vector<event::Expr> work = {graph.proposition, graph.filter};
  while (!work.empty()) {
    const event::Expr at = work.back();
    work.pop_back();
    if (!seen.insert(at.index).second) continue;
    const event::Node& node = graph.exprs[at];
    if (node.op == event::Op::final_value) return true;
    const event::Expr operands[] = {node.a, node.b, node.c};
    work.insert(work.end(), operands, operands + event::arity(node.op));
  }
  return false;
}

class OutcomeExplainer {
 public:
  OutcomeExplainer(const engine::Query& query, const Solve& solve) : query_(query), solve_(solve) {
    for (std::size_t i = 0; i < query.model.axioms.size(); ++i) {
      const auto* r = std::get_if<relation::Rel>(&query.model.axioms[i].expression);
      if (r && *r == query.model.coherence) coherence_axiom_ = i;
    }
    for (std::size_t i = 0; i < query.model.axioms.size(); ++i) all_.push_back(i);
  }

  Explanation explain();

 private:
  using Axiom = std::size_t;  // an index of MemoryModel::axioms; finals(): any write may be the final one
  using Axioms = std::vector<Axiom>;
  enum class Answer : std::uint8_t { forbidden, reachable, open };

  Axiom finals() const { return query_.model.axioms.size(); }
  Axioms without(const Axioms& axioms, Axiom gone) const {
    Axioms out;
    std::copy_if(axioms.begin(), axioms.end(), std::back_inserter(out), [&](Axiom a) { return a != gone; });
    return out;
  }
  /// Is the outcome reached under these axioms? If so, the execution is left in last_.
  Answer ask(const Axioms& kept);
  Answer ask_model(const relation::MemoryModel& model);
  Axioms dropped_one_by_one();
  std::optional<engine::State> any_execution() const;
  bool find_execution(Axiom violated, const Axioms& minimal, const Axioms& alone);
  Violation violation(Axiom axiom, const Axioms& minimal, const Axioms& alone);
  Violation final_violation();
  void derive(Axiom axiom, Violation& out);
  void derive_final(Derivation& derivation, Violation& out) const;

  const engine::Query& query_;
  const Solve& solve_;
  std::optional<std::size_t> coherence_axiom_;
  Axioms all_;
  engine::State last_;  // of the last question that was answered with `reachable`
  std::optional<std::optional<ThinAir>> speculation_;  // made when it is needed
  Explanation result_;
};

OutcomeExplainer::Answer OutcomeExplainer::ask(const Axioms& kept) {
  relation::MemoryModel model = query_.model;
  model.axioms.clear();
  bool any_final = false;
  for (const Axiom a : kept) {
    if (a == finals()) {
      any_final = true;
    } else {
      model.axioms.push_back(query_.model.axioms[a]);
    }
  }
  // Where nothing is coherence-ordered, each write of a location is a last one.
  if (any_final) model.coherence = model.tree.empty_relation();
  return ask_model(model);
}

OutcomeExplainer::Answer OutcomeExplainer::ask_model(const relation::MemoryModel& model) {
  const auto over = [&](const event::ProgramGraph& graph, const event::BaseValues& base) {
    return query_.about(graph, base, model, engine::Ask::verdict);
  };
  const engine::Query query = over(query_.graph, query_.base);
  engine::Result result = solve_(query);
  const bool by_cycle = result.states.empty() && !result.complete && result.unknown == engine::kValueCycle;
  if (by_cycle) {
    if (!speculation_) speculation_ = ThinAir::of(query_.graph, query_.base);
    if (!*speculation_) return Answer::open;
    const ThinAir& guesses = **speculation_;
    result = solve_(over(guesses.graph(), guesses.base()));
    if (!result.states.empty()) result.states.front() = guesses.restored(std::move(result.states.front()));
  }
  if (result.states.empty()) return result.complete ? Answer::forbidden : Answer::open;
  last_ = std::move(result.states.front());
  for (const std::string& what : check::recheck(query, last_)) {
    result_.problems.push_back("the execution of " + check::describe_state(query.graph, last_) +
                               " fails its re-check: " + what);
  }
  return Answer::reachable;
}

// An execution of the complete model, whatever its outcome.
std::optional<engine::State> OutcomeExplainer::any_execution() const {
  event::ProgramGraph graph = query_.graph;
  graph.proposition = graph.exprs.truth(true);
  graph.goal = event::Goal::exists;
  const engine::Query any = query_.about(graph, query_.base, query_.model, engine::Ask::verdict);
  engine::Result result = solve_(any);
  if (result.states.empty()) return std::nullopt;
  return std::move(result.states.front());
}

OutcomeExplainer::Axioms OutcomeExplainer::dropped_one_by_one() {
  Axioms kept = all_;
  for (auto it = all_.rbegin(); it != all_.rend(); ++it) {
    const Axioms fewer = without(kept, *it);
    const Answer answer = ask(fewer);
    if (answer == Answer::forbidden) kept = fewer;
    if (answer == Answer::open) result_.minimal = false;
  }
  return kept;
}

// Leaves the execution in last_.
bool OutcomeExplainer::find_execution(Axiom violated, const Axioms& minimal, const Axioms& alone) {
  if (ask(without(all_, violated)) == Answer::reachable) return true;
  Axioms kept;
  for (const Axiom a : all_) {
    if (std::find(alone.begin(), alone.end(), a) == alone.end() && a != violated) kept.push_back(a);
  }
  if (ask(kept) == Answer::reachable) return true;
  kept = without(minimal, violated);
  if (ask(kept) != Answer::reachable) return false;
  engine::State best = last_;
  for (const Axiom a : all_) {
    if (a == violated || std::find(kept.begin(), kept.end(), a) != kept.end()) continue;
    kept.push_back(a);
    if (ask(kept) == Answer::reachable) {
      best = last_;
    } else {
      kept.pop_back();
    }
  }
  last_ = std::move(best);
  return true;
}

// The write that the execution takes for the last one of its location, and one that follows it in coherence.
void OutcomeExplainer::derive_final(Derivation& derivation, Violation& out) const {
  const CostMatrix& costs = derivation.costs(query_.model.coherence);
  std::uint32_t best = CostMatrix::kAbsent;
  EventId from = kNoEvent, to = kNoEvent;
  const std::vector<EventId>& final_writes = out.state->witness.final_writes;
  for (event::CellId cell = 0; cell < final_writes.size(); ++cell) {
    const EventId last = final_writes[cell];
    if (last == kNoEvent) continue;
    for (EventId later = 0; later < costs.size(); ++later) {
      if (costs.at(last, later) >= best || !query_.graph.covers(later, cell)) continue;
      best = costs.at(last, later);
      from = last;
      to = later;
    }
  }
  if (from != kNoEvent) out.chain = derivation.chain(query_.model.coherence, from, to);
}

void OutcomeExplainer::derive(Axiom axiom, Violation& out) {
  const check::NaiveInput input{query_.graph, query_.base, query_.signature, query_.model,
                                out.state->witness};
  Derivation derivation(input);
  for (std::size_t i = 0; i < query_.model.axioms.size(); ++i) {
    const relation::Constraint& other = query_.model.axioms[i];
    if (i != axiom && !derivation.relations().holds(other)) out.also_violated.push_back(other.name);
  }
  if (axiom == finals()) return derive_final(derivation, out);
  const relation::Constraint& constraint = query_.model.axioms[axiom];
  if (constraint.negated) {
    out.shape = Shape::absent;
    return;
  }
  if (const auto* s = std::get_if<relation::Set>(&constraint.expression)) {
    out.shape = Shape::element;
    const check::EventSet& members = derivation.relations().value(*s);
    if (!members.empty()) out.at = *members.begin();
    return;
  }
  const relation::Rel r = std::get<relation::Rel>(constraint.expression);
  if (constraint.test == relation::Test::acyclic) {
    out.shape = Shape::cycle;
    const std::vector<EventId> events = derivation.shortest_cycle(r);
    for (std::size_t i = 0; i + 1 < events.size(); ++i) {
      Chain edge = derivation.unfold(r, events[i], events[i + 1]);
      std::move(edge.steps.begin(), edge.steps.end(), std::back_inserter(out.chain.steps));
    }
    return;
  }
  const bool loop = constraint.test == relation::Test::irreflexive;
  out.shape = loop ? Shape::loop : Shape::pair;
  const CostMatrix& costs = derivation.costs(r);
  std::optional<std::pair<EventId, EventId>> best;
  for (EventId a = 0; a < costs.size(); ++a) {
    for (EventId b = 0; b < costs.size(); ++b) {
      if (!costs.has(a, b) || (loop && a != b)) continue;
      if (!best || costs.at(a, b) < costs.at(best->first, best->second)) best = {a, b};
    }
  }
  if (best) out.chain = derivation.unfold(r, best->first, best->second);
}

Violation OutcomeExplainer::violation(Axiom axiom, const Axioms& minimal, const Axioms& alone) {
  Violation out;
  out.axiom = query_.model.axioms[axiom].name;
  out.section = query_.model.axioms[axiom].section;
  out.text = text_of(query_, query_.model.axioms[axiom]);
  if (!find_execution(axiom, minimal, alone)) return out;
  out.state = last_;
  derive(axiom, out);
  return out;
}

Violation OutcomeExplainer::final_violation() {
  Violation out;
  out.shape = Shape::final_value;
  out.axiom = coherence_axiom_ ? query_.model.axioms[*coherence_axiom_].name : "final value";
  out.section = coherence_axiom_ ? query_.model.axioms[*coherence_axiom_].section : "";
  out.text = "a final value is that of a last write in coherence";
  Axioms all = all_;
  all.push_back(finals());
  if (ask(all) != Answer::reachable && ask({finals()}) != Answer::reachable) return out;
  out.state = last_;
  derive(finals(), out);
  return out;
}

Explanation OutcomeExplainer::explain() {
  if (ask({}) == Answer::forbidden) {
    // Without coherence a model may need no phases of barriers, and a path that they exclude is reached: then
    // no final value is overwritten.
    std::optional<Violation> by_finals;
    if (asks_for_finals(query_.graph) && ask({finals()}) == Answer::reachable) by_finals = final_violation();
    if (!by_finals || (by_finals->state && by_finals->chain.steps.empty())) {
      result_.kind = Explanation::Kind::impossible;
      result_.state = any_execution();
      return std::move(result_);
    }
    result_.kind = Explanation::Kind::forbidden;
    result_.axioms.push_back(std::move(*by_finals));
    return std::move(result_);
  }
  result_.kind = Explanation::Kind::forbidden;
  Axioms alone;
  for (const Axiom a : all_) {
    const Answer answer = ask({a});
    if (answer == Answer::forbidden) alone.push_back(a);
  }
  if (!alone.empty()) {
    result_.axioms.push_back(violation(alone.front(), {alone.front()}, alone));
    for (std::size_t i = 1; i < alone.size(); ++i)
      result_.alternatives.push_back(violation(alone[i], {alone[i]}, alone));
    return std::move(result_);
  }
  const Axioms minimal = dropped_one_by_one();
  for (const Axiom a : minimal) result_.axioms.push_back(violation(a, minimal, {}));
  return std::move(result_);
}

}  // namespace

Explanation explain(const engine::Query& query, const engine::Result& decided, const Solve& solve) {
  const bool wanted = query.graph.goal != event::Goal::forall;
  const auto decisive = std::find_if(decided.states.begin(), decided.states.end(),
                                     [&](const engine::State& s) { return s.satisfied == wanted; });
  if (decisive != decided.states.end()) {
    Explanation out;
    out.kind = Explanation::Kind::reachable;
    out.state = *decisive;
    if (decisive->witness.exists.size() == 0) {  // only some states keep a witness
      const engine::Query again = query.about(query.graph, query.base, query.model, engine::Ask::verdict);
      engine::Result result = solve(again);
      if (result.states.empty()) {
        out.kind = Explanation::Kind::unknown;
        out.reason = result.unknown.empty() ? "incomplete" : result.unknown;
        out.state.reset();
      } else {
        out.state = std::move(result.states.front());
      }
    }
    return out;
  }
  if (!decided.complete) {
    Explanation out;
    out.reason = decided.unknown.empty() ? "incomplete" : decided.unknown;
    return out;
  }
  return OutcomeExplainer(query, solve).explain();
}

}  // namespace ptxmc::explain

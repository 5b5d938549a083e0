// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/engine/explicit/search.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <variant>

#include "model/cat/walk.h"
#include "support/check.h"

namespace ptxmc::engine::explicit_ {

namespace {

using relation::BitMatrix;
using relation::BitSet;
using relation::Rel;
using relation::Set;

constexpr std::size_t kViolationsPerAxiom = 12;

std::vector<const relation::Constraint*> axioms_of(const Query& query) {
  std::vector<const relation::Constraint*> out;
  for (const relation::Constraint& axiom : query.model.axioms) out.push_back(&axiom);
  if (query.ask == Ask::flag) out.push_back(&query.model.flags.at(query.flag));
  return out;
}

std::vector<Rel> relation_roots(const Query& query) {
  std::vector<Rel> out{query.model.coherence};
  for (const relation::OrderDeclaration& order : query.model.orders) out.push_back(order.over);
  for (const relation::Constraint* axiom : axioms_of(query)) {
    if (const auto* r = std::get_if<Rel>(&axiom->expression)) out.push_back(*r);
  }
  return out;
}

std::vector<Set> set_roots(const Query& query) {
  std::vector<Set> out;
  for (const relation::Constraint* axiom : axioms_of(query)) {
    if (const auto* s = std::get_if<Set>(&axiom->expression)) out.push_back(*s);
  }
  return out;
}

}  // namespace

UsedBases used_bases(const Query& query) {
  const relation::Tree& tree = query.model.tree;
  std::vector<cat::SetOrRel> roots;
  for (Rel r : relation_roots(query)) roots.emplace_back(r);
  for (Set s : set_roots(query)) roots.emplace_back(s);
  const cat::Below below = cat::nodes_below(tree, roots);
  std::vector<std::uint32_t> relations, sets;  // a node each
  for (std::size_t i = 0; i < below.relations.size(); ++i) {
    const auto* base = below.relations[i] ? std::get_if<relation::BaseRel>(&tree.relations()[i]) : nullptr;
    if (base != nullptr) relations.push_back(base->base);
  }
  for (std::size_t i = 0; i < below.sets.size(); ++i) {
    const auto* base = below.sets[i] ? std::get_if<relation::BaseSet>(&tree.sets()[i]) : nullptr;
    if (base != nullptr) sets.push_back(base->base);
  }
  std::sort(relations.begin(), relations.end());
  std::sort(sets.begin(), sets.end());
  return {std::move(relations), std::move(sets)};
}

Search::Search(const Query& query, Path& path, const Enumerated& enumerated,
               const std::vector<Interchangeable>& classes, const std::vector<ThreadSymmetry>& symmetries,
               const UsedBases& used, TermSolver* terms, std::vector<Cube>* cubes)
    : query_(query),
      path_(path),
      enumerated_(enumerated),
      classes_(classes),
      symmetries_(symmetries),
      used_(used),
      evaluator_(query.model.tree, inputs(), relation_roots(query), set_roots(query)),
      encoding_(query, path, solver_, order_pairs()),
      axioms_(axioms_of(query)),
      choices_{BitMatrix(path.size()),
               {},
               std::vector<BitMatrix>(query.model.orders.size(), BitMatrix(path.size()))},
      leaves_(leaves()),
      terms_(terms),
      cubes_(cubes) {
  for (const event::Observable& o : query.graph.observables) observables_.push_back(path.simplify(o.value));
}

Leaves Search::leaves() {
  Leaves out;
  out.source_of = [this](std::size_t slot) {
    for (const auto& [w, l] : encoding_.sources(slot)) {
      if (solver_.is_true(l)) return l;
    }
    PTXMC_CHECK(false, "the read has a source");
    return ChoiceLit();
  };
  out.order_edge = [this](std::uint32_t order, std::size_t a, std::size_t b) {
    const Encoding::Edge* edge = encoding_.edge(order, a, b);
    PTXMC_CHECK(edge != nullptr, "a chosen edge belongs to a pair of the order");
    return a < b ? edge->forward : edge->backward;
  };
  out.no_order_edge = [this](std::uint32_t order, std::size_t a, std::size_t b) -> std::optional<ChoiceLit> {
    const Encoding::Edge* edge = encoding_.edge(order, a, b);
    if (edge == nullptr) return std::nullopt;
    return ~(a < b ? edge->forward : edge->backward);
  };
  out.everything = [this] {
    std::vector<ChoiceLit> all;
    for (const Inputs::Read& read : evaluator_.inputs().reads) {
      for (const auto& [w, l] : encoding_.sources(read.slot)) {
        if (solver_.is_true(l)) all.push_back(l);
      }
    }
    for (const auto& order : encoding_.orders()) {
      for (const Encoding::Edge& edge : order) {
        for (ChoiceLit l : {edge.forward, edge.backward}) {
          if (solver_.value(l) != 0) all.push_back(solver_.is_true(l) ? l : ~l);
        }
      }
    }
    return all;
  };
  return out;
}

void Search::read_choices() {
  const std::vector<Inputs::Read>& reads = evaluator_.inputs().reads;
  choices_.reads_from.clear();
  choices_.sources.assign(reads.size(), Choices::kNone);
  for (std::size_t k = 0; k < reads.size(); ++k) {
    for (const auto& [w, l] : encoding_.sources(reads[k].slot)) {
      if (!solver_.is_true(l)) continue;
      choices_.sources[k] = path_.owner(w);
      choices_.reads_from.set(path_.owner(w), reads[k].event);
    }
  }
  for (std::size_t k = 0; k < choices_.orders.size(); ++k) {
    choices_.orders[k].clear();
    for (const Encoding::Edge& edge : encoding_.orders()[k]) {
      if (solver_.is_true(edge.forward)) choices_.orders[k].set(edge.a, edge.b);
      if (solver_.is_true(edge.backward)) choices_.orders[k].set(edge.b, edge.a);
    }
  }
}

// An evaluation computes a matrix for each node of the model that depends on choices, word by word; the rest
// is small beside it.
double Search::work() const {
  const auto events = static_cast<double>(path_.size());
  const double matrices = static_cast<double>(evaluator_.steps()) * events * events / relation::kWordBits;
  return static_cast<double>(candidates_) * matrices + static_cast<double>(solver_.conflicts());
}

std::vector<Clause> Search::check(bool complete) {
  ++candidates_;
  read_choices();
  evaluator_.evaluate(choices_, complete);
  NogoodExplainer explainer(evaluator_, choices_, leaves_, encoding_.constant_true());
  std::vector<Clause> out;
  for (const relation::Constraint* axiom : axioms_) {
    if (axiom->negated && (!complete || (raising_ && axiom == axioms_.back()))) continue;
    for (Clause& clause : explainer.violations(*axiom, kViolationsPerAxiom)) out.push_back(std::move(clause));
  }
  if (raising_) check_flag(explainer, complete, out);
  check_finals(explainer, out);
  if (complete && out.empty() && !encoding_.obligations().empty()) check_terms(out);
  return out;
}

// Some numbers for the terms must meet all obligations at once.
void Search::check_terms(std::vector<Clause>& out) {
  constexpr double kMost = 10;  // for one question
  const double seconds = std::min(kMost, query_.budget.left().value_or(kMost));
  std::vector<event::Expr> truths;
  std::vector<const Obligation*> active;
  for (const Obligation& obligation : encoding_.obligations()) {
    if (!is_active(obligation)) continue;
    truths.push_back(obligation.truth);
    active.push_back(&obligation);
  }
  valuation_ = {};
  if (active.empty()) return;
  const TermSolver::Answer answer = terms_->satisfiable(truths, seconds);
  if (answer == TermSolver::Answer::yes) {
    valuation_ = terms_->valuation();
    return;
  }
  std::vector<std::size_t> core = terms_->core();
  if (answer == TermSolver::Answer::unknown) {
    undecided_terms_ = true;
    core.resize(active.size());
    std::iota(core.begin(), core.end(), std::size_t{0});
  }
  Clause& clause = out.emplace_back();
  for (const std::size_t i : core) {
    for (const ChoiceLit l : {active[i]->a, active[i]->b}) {
      if (l != encoding_.constant_true()) clause.push_back(~l);
    }
  }
}

// A final value is one that no write overwrites in coherence.
void Search::check_finals(NogoodExplainer& explainer, std::vector<Clause>& out) {
  const BitMatrix& co = evaluator_.value(query_.model.coherence);
  for (const auto& [cell, options] : encoding_.finals()) {
    for (const auto& [w, l] : options) {
      if (!solver_.is_true(l)) continue;
      const std::size_t last = path_.owner(w);
      for (const auto& [later, other] : options) {
        if (later == w || !co.test(last, path_.owner(later))) continue;
        out.push_back(explainer.forbid(query_.model.coherence, last, path_.owner(later), l));
        break;
      }
    }
  }
}

// Any pair will do in a complete assignment.
void Search::check_flag(NogoodExplainer& explainer, bool complete, std::vector<Clause>& out) {
  if (complete && !evaluator_.value(raising_->relation).empty()) return;
  for (const auto& [a, b, raises] : raising_->pairs) {
    if (!solver_.is_true(raises)) continue;
    if (auto clause = explainer.refute(raising_->relation, a, b, raises, complete))
      out.push_back(*std::move(clause));
  }
}

Clause Search::differ_from(const StateKey& key) {
  Clause out;
  for (std::size_t i = 0; i < observables_.size(); ++i)
    out.push_back(~encoding_.equals(observables_[i], key.first[i]));
  if (satisfied_) out.push_back(key.second ? ~*satisfied_ : *satisfied_);
  return out;
}

Clause Search::differ_from(const Cube& cube) {
  Clause out;
  for (std::size_t i = 0; i < observables_.size(); ++i) {
    const std::vector<event::Value>& values = cube.values[i];
    for (const auto& [v, l] : encoding_.value(observables_[i])) {
      if (std::find(values.begin(), values.end(), v.value) == values.end()) out.push_back(l);
    }
  }
  return out;
}

/// Adds the current execution's cube; false: there is no other.
bool Search::add_cube() {
  encoding_.new_assignment();
  cubes_->push_back(widener_->widen(choices_, state(key(), true)));
  if (!widener_->worthwhile()) widener_.reset();
  return solver_.add(differ_from(cubes_->back()));
}

/// Adds the current execution's state; false: there is no other.
bool Search::add(std::map<StateKey, Found>& known) {
  encoding_.new_assignment();
  const StateKey key = this->key();
  const bool goes_on = query_.ask == Ask::states;
  Clause others = goes_on ? differ_from(key) : Clause();
  auto place = known.find(key);
  if (place == known.end()) {
    const bool keep = !symmetries_.empty() || known.size() < query_.witnesses;
    place = known.emplace(key, Found{state(key, keep), {}}).first;
  }
  if (query_.graph.exprs.has_terms()) {
    std::vector<event::Expr> conditions;
    for (std::size_t i = 0; i < path_obligations_; ++i) {
      const Obligation& obligation = encoding_.obligations()[i];
      if (!is_active(obligation)) continue;
      conditions.push_back(obligation.truth);
      for (const ChoiceLit l : {obligation.a, obligation.b}) {
        if (l != encoding_.constant_true()) others.push_back(~l);
      }
    }
    const event::SymbolicValue truth =
        satisfied_ ? encoding_.current(path_.simplify(query_.graph.proposition)) : event::SymbolicValue();
    place->second.executions.push_back({std::move(conditions), truth});
  }
  return goes_on && solver_.add(std::move(others));
}

bool Search::run(std::map<StateKey, Found>& known, const std::function<bool()>& stop) {
  if (!prepare(known) || !rule_out()) return false;
  evaluator_.keep_as_base();
  if (!choose_raising_pair()) return false;
  look_for_loose_reads();
  while (true) {
    const ChoiceSolver::Outcome outcome = solver_.solve(*this, stop);
    if (outcome != ChoiceSolver::Outcome::model) return outcome == ChoiceSolver::Outcome::stopped;
    if (has_value_cycle()) {
      value_cycle_ = true;
      Clause other_sources;
      for (const Inputs::Read& read : evaluator_.inputs().reads)
        other_sources.push_back(~leaves_.source_of(read.slot));
      if (!solver_.add(std::move(other_sources))) return false;
      continue;
    }
    if (!(widener_ ? add_cube() : add(known))) return false;
  }
}

// Does a read's value depend on itself through stores of what was read?
bool Search::has_value_cycle() {
  BitMatrix flow(path_.size());
  for (const Inputs::Read& read : evaluator_.inputs().reads) {
    for (const auto& [w, l] : encoding_.sources(read.slot)) {
      if (!solver_.is_true(l)) continue;
      for (event::EventId atom : path_.exprs().atoms(path_.value_of(w))) {
        if (path_.local(atom) < path_.size()) flow.set(path_.local(atom), read.event);
      }
    }
  }
  return !flow.acyclic();
}

StateKey Search::key() {
  StateKey out;
  for (event::Expr e : observables_) out.first.push_back(encoding_.current(e));
  if (query_.ask == Ask::states) {
    out.second = satisfied_ ? solver_.is_true(*satisfied_)
                            : encoding_.current(path_.simplify(query_.graph.proposition)).value != 0;
  } else {
    out.second = query_.ask == Ask::verdict && query_.graph.goal != event::Goal::forall;
  }
  return out;
}

State Search::state(const StateKey& key, bool with_witness) {
  State out;
  for (const event::SymbolicValue d : key.first) out.values.push_back(path_.symbols().value(d, valuation_));
  out.satisfied = key.second;
  if (with_witness) out.witness = witness();
  return out;
}

event::Execution Search::witness() {
  const event::ProgramGraph& graph = query_.graph;
  event::Execution out;
  out.decisions = path_.assignment();
  out.exists = BitSet(graph.size());
  out.values.assign(graph.slot_count(), 0);
  out.reads_from.assign(graph.slot_count(), event::kNoEvent);
  out.final_writes.assign(graph.cells.size(), event::kNoEvent);
  const std::vector<event::EventId>& events = path_.events();
  for (const event::EventId e : events) out.exists.set(e);
  for (std::size_t s = 0; s < path_.slots(); ++s) {
    const event::SlotId id = path_.slot_id(s);
    if (path_.event(path_.owner(s)).is_access())
      out.values[id] = path_.symbols().value(encoding_.current(path_.value_of(s)), valuation_);
    for (const auto& [w, l] : encoding_.sources(s)) {
      if (solver_.is_true(l)) out.reads_from[id] = events[path_.owner(w)];
    }
  }
  for (const auto& [cell, options] : encoding_.finals()) {
    for (const auto& [w, l] : options) {
      if (solver_.is_true(l)) out.final_writes[cell] = events[path_.owner(w)];
    }
  }
  for (const BitMatrix& order : choices_.orders) {
    BitMatrix& full = out.orders.emplace_back(graph.size());
    order.for_each([&](std::size_t a, std::size_t b) { full.set(events[a], events[b]); });
  }
  out.valuation = valuation_;
  out.enumerated.resize(query_.signature.rows().size());
  for (const auto& [id, matrix] : enumerated_) out.enumerated[id] = matrix;
  return out;
}

}  // namespace ptxmc::engine::explicit_

// SPDX-License-Identifier: Apache-2.0
// What is known of a path before the search: the inputs of the evaluator, what has no alternative, and what symmetry and
// the question allow to leave out.
#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>
#include <variant>

#include "axiomatic/engine/explicit/orbits.h"
#include "axiomatic/engine/explicit/possible.h"
#include "axiomatic/engine/explicit/refuted.h"
#include "axiomatic/engine/explicit/search.h"
#include "support/check.h"

namespace ptxmc::engine::explicit_ {

namespace {

using relation::BitMatrix;
using relation::BitSet;
using relation::Rel;

constexpr std::size_t kMostCopies = 4;  // events with the copies of reads, for an event
constexpr double kFewWays = 8;          // to choose what is read: found one by one sooner than together

BitSet restrict_set(const BitSet& full, const std::vector<event::EventId>& events) {
  BitSet out(events.size());
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (full.test(events[i])) out.set(i);
  }
  return out;
}

BitMatrix restrict_matrix(const BitMatrix& full, const std::vector<event::EventId>& events) {
  const bool all = events.size() == full.size() &&
                   std::adjacent_find(events.begin(), events.end(), std::greater_equal<>()) == events.end();
  if (all) return full;
  BitMatrix out(events.size());
  for (std::size_t a = 0; a < events.size(); ++a) {
    for (std::size_t b = 0; b < events.size(); ++b) {
      if (full.test(events[a], events[b])) out.set(a, b);
    }
  }
  return out;
}

bool asks_by_pairs(const Query& query) {
  if (query.ask != Ask::flag || !query.reductions.pairs) return false;
  const relation::Constraint& flag = query.model.flags.at(query.flag);
  return flag.negated && flag.test == relation::Test::empty && std::holds_alternative<Rel>(flag.expression);
}

// Does r hold wherever the order's choice does?
bool contains_choice(const relation::Tree& tree, Rel r, std::uint32_t order) {
  if (const auto* choice = std::get_if<relation::OrderChoice>(&tree.node(r))) return choice->order == order;
  if (const auto* both = std::get_if<relation::Union>(&tree.node(r))) {
    return contains_choice(tree, both->a, order) || contains_choice(tree, both->b, order);
  }
  const auto* closure = std::get_if<relation::Closure>(&tree.node(r));
  return closure != nullptr && contains_choice(tree, closure->a, order);
}

// An axiom says that the chosen directions have no cycle.
bool acyclic_choice(const Query& query, std::uint32_t order) {
  const auto& axioms = query.model.axioms;
  return std::any_of(axioms.begin(), axioms.end(), [&](const relation::Constraint& axiom) {
    return axiom.test == relation::Test::acyclic && !axiom.negated &&
           contains_choice(query.model.tree, std::get<Rel>(axiom.expression), order);
  });
}
}  // namespace

Inputs Search::inputs() const {
  std::vector<std::size_t> own(path_.size());
  std::iota(own.begin(), own.end(), std::size_t{0});
  return inputs(own);
}

// `copies`: of each event of the inputs, the path's; the path's own come first.
Inputs Search::inputs(const std::vector<std::size_t>& copies) const {
  std::vector<event::EventId> events;
  for (const std::size_t i : copies) events.push_back(path_.events()[i]);
  Inputs in;
  in.size = events.size();
  const std::size_t rows = query_.signature.rows().size();
  in.sets.resize(rows);
  in.relations.resize(rows);
  in.is_reads_from.assign(rows, false);
  for (std::uint32_t id : used_.sets) in.sets[id] = restrict_set(query_.base.sets[id], events);
  for (std::uint32_t id : used_.relations) {
    switch (query_.signature[id].provider) {
      case relation::Provider::fixed:
        in.relations[id] = restrict_matrix(query_.base.relations[id], events);
        break;
      case relation::Provider::reads_from:
        in.is_reads_from[id] = true;
        break;
      case relation::Provider::enumerated: {
        const auto it = enumerated_.find(id);
        in.relations[id] = it == enumerated_.end() ? BitMatrix(in.size) : restrict_matrix(it->second, events);
        break;
      }
    }
  }
  for (std::size_t s = 0; s < path_.slots(); ++s) {
    const std::size_t r = path_.owner(s);
    if (!path_.event(r).is_read()) continue;
    for (std::size_t copy = 0; copy < copies.size(); ++copy) {
      if (copies[copy] != r) continue;
      Inputs::Read& read = in.reads.emplace_back(Inputs::Read{copy, s, BitSet(in.size)});
      for (std::size_t w : path_.writes_of(path_.slot(s).cell)) {
        if (path_.events()[path_.owner(w)] != path_.event(r).rmw_partner) read.writers.set(path_.owner(w));
      }
    }
  }
  return in;
}

// What an order ranges over depends on no choice (the cat reader sees to it), so it is known by now.
std::vector<BitMatrix> Search::order_pairs() const {
  std::vector<BitMatrix> out;
  for (const relation::OrderDeclaration& order : query_.model.orders) {
    PTXMC_CHECK(!evaluator_.is_dynamic(order.over), "an order ranges over a relation that no choice changes");
    out.push_back(evaluator_.value(order.over));
  }
  return out;
}

bool Search::prepare(const std::map<StateKey, Found>& known) {
  const event::ProgramGraph& graph = query_.graph;
  break_symmetry();
  if (!encoding_.consistent() || !settle() || !may_raise() || !rule_out()) return false;
  encoding_.encode_values();
  encoding_.require_truth(path_.simplify(graph.filter));
  if (query_.ask == Ask::verdict)
    encoding_.require_truth(path_.simplify(graph.proposition), graph.goal != event::Goal::forall);
  for (event::Expr e : observables_) {
    if (query_.ask == Ask::states) {
      encoding_.value(e);
    } else {
      encoding_.choose_finals(e);
    }
  }
  encoding_.join_final_reads();
  if (!require_ascending(symmetries_, observables_, encoding_, solver_)) return false;
  if (query_.ask == Ask::states) {
    path_obligations_ = encoding_.obligations().size();
    const ChoiceLit holds = encoding_.decide_truth(path_.simplify(graph.proposition));
    if (graph.exprs.has_terms()) satisfied_ = holds;
  }
  if (!encoding_.consistent()) return false;
  for (const auto& [key, found] : known) {
    if ((found.executions.empty() || found.unconditional()) && !solver_.add(differ_from(key))) return false;
  }
  if (cubes_ == nullptr) return true;
  for (const Cube& cube : *cubes_) {
    if (!solver_.add(differ_from(cube))) return false;
  }
  return true;
}

// What holds in every execution of the path that the clauses allow by now, in choices_ and in the evaluator. False: there
// is no execution.
bool Search::settle() {
  if (!solver_.settle()) return false;
  read_choices();
  evaluator_.evaluate(choices_, false);
  return true;
}

// Choices that nothing can make right: they are out. Anew as long as that makes others, as far as values are encoded.
bool Search::rule_out() {
  while (settle()) {
    const std::size_t made = choices_.made();
    if (!query_.reductions.refutation || std::exchange(ruled_out_at_, made) == made) return true;
    const Refuted refuted = refuted_choices(evaluator_, axioms_, choices_);
    const auto exclude = [&](ChoiceLit l) {
      if (solver_.value(l) >= 0) solver_.add({~l});
    };
    const std::vector<Inputs::Read>& reads = evaluator_.inputs().reads;
    for (std::size_t k = 0; k < reads.size(); ++k) {
      for (const auto& [w, l] : encoding_.sources(reads[k].slot)) {
        if (refuted.sources[k].test(path_.owner(w))) exclude(l);
      }
    }
    for (std::size_t k = 0; k < refuted.orders.size(); ++k) {
      for (const Encoding::Edge& edge : encoding_.orders()[k]) {
        if (refuted.orders[k].test(edge.a, edge.b)) exclude(edge.forward);
        if (refuted.orders[k].test(edge.b, edge.a)) exclude(edge.backward);
      }
    }
  }
  return false;
}

// Interchangeable threads whose corresponding events an acyclic order relates pairwise: some permutation of
// them puts these events in the order of the threads, so only that arrangement is searched. One such position
// a class.
void Search::break_symmetry() {
  for (const Interchangeable& threads : classes_) {
    bool done = false;
    for (std::size_t position = 0; position < threads[0].size() && !done; ++position) {
      std::vector<std::size_t> events;
      for (const auto& thread : threads) {
        if (path_.local(thread[position]) < path_.size()) events.push_back(path_.local(thread[position]));
      }
      for (std::uint32_t order = 0; order < encoding_.orders().size() && !done && events.size() > 1;
           ++order) {
        if (query_.model.orders[order].partial || !acyclic_choice(query_, order)) continue;
        std::vector<ChoiceLit> forward;
        for (std::size_t i = 0; i < events.size(); ++i) {
          for (std::size_t j = i + 1; j < events.size(); ++j) {
            if (const Encoding::Edge* edge = encoding_.edge(order, events[i], events[j]))
              forward.push_back(edge->forward);
          }
        }
        done = forward.size() == events.size() * (events.size() - 1) / 2;
        for (std::size_t i = 0; done && i < forward.size(); ++i) solver_.add({forward[i]});
      }
    }
  }
}

// Whether a flag that one pair raises has pairs that some execution may have. False: there are none, so that
// nothing else need be looked at.
bool Search::may_raise() {
  if (!asks_by_pairs(query_)) return true;
  evaluator_.keep_as_base();
  return !possible_pairs(evaluator_, std::get<Rel>(axioms_.back()->expression)).empty();
}

// Which of them it is, is the first choice, so that what orders that pair refutes it, and the reasons of the other pairs
// are not asked for. False: no pair can raise it.
bool Search::choose_raising_pair() {
  if (!asks_by_pairs(query_)) return true;
  raising_ = Raising{std::get<Rel>(axioms_.back()->expression), {}};
  Clause some;
  possible_pairs(evaluator_, raising_->relation).for_each([&](std::size_t a, std::size_t b) {
    const ChoiceLit raises(solver_.new_var(kRaised, false), true);
    raising_->pairs.emplace_back(a, b, raises);
    some.push_back(raises);
  });
  return solver_.add(std::move(some));
}

// Reads that may be exchanged without a search (widen.h). Where threads are interchangeable, one state an orbit is
// enough, and the other states of a cube would be none of those.
void Search::look_for_loose_reads() {
  if (cubes_ == nullptr || !query_.reductions.cubes || !symmetries_.empty()) return;
  std::vector<LooseRead> loose = loose_reads(query_, path_, observables_);
  double ways = 1;
  for (const Inputs::Read& read : evaluator_.inputs().reads)
    ways *= static_cast<double>(path_.sources(read.slot).size());
  if (loose.empty() || ways <= kFewWays) return;
  Widener::Copies copies = Widener::copies(path_, loose);
  if (copies.events.size() > kMostCopies * path_.size()) return;
  Inputs copied = inputs(copies.events);
  widener_ = std::make_unique<Widener>(query_, path_, solver_, encoding_, std::move(loose), std::move(copies),
                                       std::move(copied), evaluator_);
}

}  // namespace ptxmc::engine::explicit_

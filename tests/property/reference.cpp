// SPDX-License-Identifier: Apache-2.0
// Exhaustive search without any cleverness: for every path, every alternative of the enumerated base
// relations, every source of every read, every direction of every pair of every order declaration, and every
// final write of every cell, build the execution and judge it twice: by the witness check, and by the
// evaluator of naive.h. The engines must report exactly the states found here. Cost: the product of all
// choices, so tiny programs only.
#include "reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>
#include <variant>

#include "axiomatic/question/races.h"
#include "axiomatic/recheck/recheck.h"
#include "naive.h"
#include "support/check.h"

namespace ptxmc::testing {
namespace {

using event::Assignment;
using event::EventId;
using event::Execution;
using event::Expr;
using event::kNoEvent;
using event::Op;
using event::ProgramGraph;
using event::SlotId;
using event::Value;
using relation::BitMatrix;
using relation::MemoryModel;

struct TooMany {};

using Node = std::variant<relation::Set, relation::Rel>;

/// Enumerated base relations below some nodes. Barriers constrain executions only under a model that speaks
/// of them.
std::set<std::uint32_t> enumerated_in(const MemoryModel& model, std::vector<Node> work) {
  std::set<std::uint32_t> found;
  std::set<std::pair<std::size_t, std::uint32_t>> seen;
  const auto push = [&](auto... nodes) { (work.push_back(nodes), ...); };
  while (!work.empty()) {
    const Node at = work.back();
    work.pop_back();
    if (!seen.emplace(at.index(), std::visit([](auto n) { return n.index; }, at)).second) continue;
    const auto below = [&](const auto& node) {
      if constexpr (requires {
                      node.a;
                      node.b;
                    })
        push(node.a, node.b);
      else if constexpr (requires { node.a; })
        push(node.a);
      else if constexpr (requires { node.r; })
        push(node.r);
      else if constexpr (requires { node.s; })
        push(node.s);
      else if constexpr (requires { node.co; })
        push(node.co);
      else if constexpr (requires { node.order; })
        push(model.orders[node.order].over);
      else if constexpr (requires { node.member; }) {  // a group is one definition
        for (relation::Rel body : model.tree.groups()[node.group].bodies) push(body);
      } else if constexpr (std::is_same_v<std::decay_t<decltype(node)>, relation::BaseRel>) {
        if (event::base_signature()[node.base].provider == relation::Provider::enumerated)
          found.insert(node.base);
      }
    };
    if (const auto* set = std::get_if<relation::Set>(&at)) {
      std::visit(below, model.tree.node(*set));
    } else {
      std::visit(below, model.tree.node(std::get<relation::Rel>(at)));
    }
  }
  return found;
}

/// What decides whether an execution is consistent, and its final values.
std::vector<Node> roots(const MemoryModel& model) {
  std::vector<Node> all{model.coherence};
  for (const relation::OrderDeclaration& order : model.orders) all.push_back(order.over);
  for (const relation::Constraint& axiom : model.axioms) all.push_back(axiom.expression);
  return all;
}

class Enumerator {
 public:
  Enumerator(const Prepared& prepared, const MemoryModel& model, std::size_t limit)
      : prepared_(prepared),
        graph_(*prepared.graph),
        model_(model),
        limit_(limit),
        keys_(check::instruction_keys(graph_)) {
    used_ = enumerated_in(model, roots(model));
  }

  Reference run() {
    for (std::size_t f = 0; f < model_.flags.size(); ++f) {
      if (answerable(f)) reference_.answered.insert(f);
    }
    const auto paths = event::enumerate_assignments(graph_, limit_);
    if (!paths) throw TooMany{};
    for (const event::Valuation& valuation : valuations()) {
      valuation_ = valuation;
      for (const Assignment& path : *paths) follow(path);
    }
    return std::move(reference_);
  }

 private:
  /// Some numbers for the terms: not all that there are, so what is found is part of what there is.
  std::vector<event::Valuation> valuations() {
    constexpr std::size_t kMost = 27;
    std::vector<event::Valuation> all(1);
    if (!graph_.exprs.has_terms()) return all;
    reference_.closed = false;
    for (const event::Term& term : graph_.exprs.terms()) {
      std::set<Value> numbers{event::wrap(term.sample, term.width)};
      if (!term.is_place) numbers.insert({0, 1, 2});
      std::vector<event::Valuation> longer;
      for (const event::Valuation& valuation : all) {
        for (const Value number : numbers) {
          longer.push_back(valuation);
          longer.back().terms.push_back(number);
          if (longer.size() >= kMost) break;
        }
        if (longer.size() >= kMost) break;
      }
      all = std::move(longer);
    }
    return all;
  }

  void follow(const Assignment& path) {
    execution_ = Execution{};
    execution_.valuation = valuation_;
    execution_.decisions = path;
    execution_.exists = relation::BitSet(graph_.size());
    execution_.values.assign(graph_.slot_count(), 0);
    execution_.reads_from.assign(graph_.slot_count(), kNoEvent);
    execution_.enumerated.assign(event::base_signature().rows().size(), BitMatrix());
    reads_.clear();
    for (EventId e = 0; e < graph_.size(); ++e) {
      const auto present = event::evaluate_guard(graph_, graph_.events[e].guard, path);
      PTXMC_CHECK(present.has_value(), "a full assignment decides every guard");
      if (!*present) continue;
      execution_.exists.set(e);
      if (!graph_.events[e].is_read()) continue;
      for (std::size_t k = 0; k < graph_.slots_of(e); ++k) reads_.push_back(graph_.slot_of(e, k));
    }
    choose_enumerated(0);
  }

  void choose_enumerated(std::uint32_t base) {
    const auto& rows = event::base_signature().rows();
    while (base < rows.size() &&
           !(rows[base].provider == relation::Provider::enumerated && used_.contains(base)))
      ++base;
    if (base == rows.size()) return choose_source(0);
    for (BitMatrix& alternative : event::alternatives(graph_, base, execution_.decisions).values) {
      execution_.enumerated[base] = std::move(alternative);
      choose_enumerated(base + 1);
    }
  }

  void choose_source(std::size_t index) {
    if (index == reads_.size()) return compute_values();
    const SlotId read = reads_[index];
    const event::Slot r = graph_.slot(read);
    for (EventId write = 0; write < graph_.size(); ++write) {
      const event::Event& w = graph_.events[write];
      if (!w.is_write() || !execution_.exists.test(write) || !graph_.covers(write, r.cell) ||
          write == graph_.events[r.event].rmw_partner)
        continue;
      execution_.reads_from[read] = write;
      choose_source(index + 1);
    }
    execution_.reads_from[read] = kNoEvent;
  }

  /// Values flow along reads-from to a fixed point; then unknown initial values and values out of thin air
  /// are guessed.
  void compute_values() {
    known_.assign(graph_.slot_count(), std::nullopt);
    settle(false);
  }

  std::optional<Value> lookup(const event::Node& node) const {
    if (node.op == Op::value_of) return known_[graph_.slot_of(node)];
    return std::nullopt;
  }

  bool accesses(SlotId s) const {
    const EventId e = graph_.slot(s).event;
    return execution_.exists.test(e) && graph_.events[e].is_access();
  }

  /// What the source of a read's slot wrote to its cell, if that is known.
  std::optional<Value> source_value(SlotId read) const {
    return known_[graph_.slot_at(execution_.reads_from[read], graph_.slot(read).cell)];
  }

  void settle(bool thin_air) {
    const auto atoms = [this](const event::Node& node) { return lookup(node); };
    for (bool changed = true; changed;) {
      changed = false;
      for (SlotId s = 0; s < graph_.slot_count(); ++s) {
        if (known_[s] || !accesses(s)) continue;
        const event::Slot slot = graph_.slot(s);
        known_[s] = graph_.events[slot.event].is_read()
                        ? source_value(s)
                        : graph_.exprs.evaluate(slot.value, atoms, &valuation_);
        changed = changed || known_[s].has_value();
      }
    }
    for (SlotId s = 0; s < graph_.slot_count(); ++s) {
      if (known_[s] || !accesses(s)) continue;
      const event::Event& event = graph_.events[graph_.slot(s).event];
      if (event.kind == event::EventKind::initial_write) return guess(s, event.choices, thin_air);
      if (event.is_read()) return guess(s, {0, 1, 2, 3}, true);
    }
    for (SlotId read : reads_) {  // a guess has to come back
      if (known_[read] != source_value(read)) return;
    }
    for (SlotId s = 0; s < graph_.slot_count(); ++s) execution_.values[s] = known_[s].value_or(0);
    if (path_agrees()) choose_order(0, thin_air);
  }

  void guess(SlotId s, const std::vector<Value>& domain, bool thin_air) {
    const auto saved = known_;
    for (Value value : domain) {
      known_ = saved;
      known_[s] = value;
      settle(thin_air);
    }
    known_ = saved;
  }

  std::optional<Value> evaluate(Expr e) const {
    return graph_.exprs.evaluate(
        e,
        [this](const event::Node& node) -> std::optional<Value> {
          if (node.op == Op::value_of) return known_[graph_.slot_of(node)];
          if (node.op != Op::final_value) return std::nullopt;
          const EventId write = execution_.final_writes[node.atom];
          if (write == kNoEvent) return std::nullopt;
          return execution_.values[graph_.slot_at(write, node.atom)];
        },
        &valuation_);
  }

  /// The values take the path that was assumed, and no assumption is broken.
  bool path_agrees() {
    execution_.final_writes.assign(graph_.cells.size(), kNoEvent);
    for (std::size_t d = 0; d < graph_.decisions.size(); ++d) {
      if (execution_.decisions[d] == event::Truth::unset) continue;
      const auto truth = evaluate(graph_.decisions[d].condition);
      if (!truth || (*truth != 0) != (execution_.decisions[d] == event::Truth::yes)) return false;
    }
    return std::all_of(graph_.assumptions.begin(), graph_.assumptions.end(), [this](Expr assumption) {
      const auto truth = evaluate(assumption);
      return truth && *truth != 0;
    });
  }

  void choose_order(std::size_t order, bool thin_air) {
    execution_.orders.resize(order);
    if (order == model_.orders.size()) return choose_finals(thin_air);
    Pairs open;
    for (const auto& [a, b] : Naive(prepared_, model_, execution_).value(model_.orders[order].over)) {
      if (a != b) open.emplace(std::min(a, b), std::max(a, b));
    }
    const std::vector<std::pair<EventId, EventId>> pairs(open.begin(), open.end());
    choose_direction(order, pairs, 0, BitMatrix(graph_.size()), thin_air);
  }

  void choose_direction(std::size_t order, const std::vector<std::pair<EventId, EventId>>& pairs,
                        std::size_t index, const BitMatrix& chosen, bool thin_air) {
    if (index == pairs.size()) {
      execution_.orders.resize(order);
      execution_.orders.push_back(chosen);
      choose_order(order + 1, thin_air);
      return;
    }
    const auto [a, b] = pairs[index];
    BitMatrix forward = chosen, backward = chosen;
    forward.set(a, b);
    backward.set(b, a);
    choose_direction(order, pairs, index + 1, forward, thin_air);
    choose_direction(order, pairs, index + 1, backward, thin_air);
    if (model_.orders[order].partial) choose_direction(order, pairs, index + 1, chosen, thin_air);
  }

  /// A flag that asks about barriers under axioms that do not is a question of its own; it is left out here.
  bool answerable(std::size_t flag) const {
    const auto asked = enumerated_in(model_, {model_.flags[flag].expression});
    return std::includes(used_.begin(), used_.end(), asked.begin(), asked.end());
  }

  /// One final write per cell, any that is maximal in coherence (none, where a model lets coherence be
  /// cyclic).
  void choose_finals(bool thin_air) {
    if (++reference_.candidates > limit_) throw TooMany{};
    Naive naive(prepared_, model_, execution_);
    consistent_ = std::all_of(model_.axioms.begin(), model_.axioms.end(),
                              [&](const relation::Constraint& axiom) { return naive.holds(axiom); });
    const Pairs co = naive.value(model_.coherence);
    std::vector<std::vector<EventId>> maximal(graph_.cells.size());
    for (EventId e = 0; e < graph_.size(); ++e) {
      const event::Event& event = graph_.events[e];
      if (!event.is_write() || !execution_.exists.test(e)) continue;
      for (std::size_t k = 0; k < graph_.slots_of(e); ++k) {
        const event::CellId cell = graph_.slot(graph_.slot_of(e, k)).cell;
        const bool last = std::none_of(co.begin(), co.end(), [&](const auto& pair) {
          return pair.first == e && graph_.events[pair.second].is_write() && graph_.covers(pair.second, cell);
        });
        if (last) maximal[cell].push_back(e);
      }
    }
    raised_.clear();
    races_.clear();
    for (std::size_t f = 0; consistent_ && f < model_.flags.size(); ++f) {
      if (!reference_.answered.contains(f)) continue;
      if (!naive.holds(model_.flags[f])) continue;
      raised_.push_back(f);
      note_races(f, naive);
    }
    choose_final(maximal, 0, thin_air);
  }

  /// What a flag `~empty` relates in the candidate in hand.
  void note_races(std::size_t flag, Naive& naive) {
    if (!names_pairs(model_.flags[flag])) return;
    Pairs pairs;
    if (const auto* set = std::get_if<relation::Set>(&model_.flags[flag].expression)) {
      for (const EventId e : naive.value(*set)) pairs.emplace(e, e);
    } else {
      pairs = naive.value(std::get<relation::Rel>(model_.flags[flag].expression));
    }
    for (const auto& [a, b] : pairs)
      races_.emplace(flag, std::min(keys_[a], keys_[b]), std::max(keys_[a], keys_[b]));
  }

  void choose_final(const std::vector<std::vector<EventId>>& maximal, std::size_t cell, bool thin_air) {
    if (cell < maximal.size()) {
      execution_.final_writes[cell] = kNoEvent;
      if (maximal[cell].empty()) choose_final(maximal, cell + 1, thin_air);
      for (EventId write : maximal[cell]) {
        execution_.final_writes[cell] = write;
        choose_final(maximal, cell + 1, thin_air);
      }
      return;
    }
    if (!tears_final()) judge(thin_air);
  }

  /// A final value of several cells is of two writes that both wrote these cells.
  bool tears_final() const {
    const auto gave = [&](EventId w, event::CellId cell) {
      return graph_.events[w].kind == event::EventKind::initial_write || graph_.covers(w, cell);
    };
    const auto written = [&](EventId w) { return graph_.events[w].kind == event::EventKind::write; };
    for (const auto& cells : graph_.final_reads) {
      for (std::size_t i = 1; i < cells.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
          const EventId a = execution_.final_writes[cells[i]], b = execution_.final_writes[cells[j]];
          if (a == kNoEvent || b == kNoEvent || a == b || !(written(a) || written(b))) continue;
          if (gave(a, cells[j]) && gave(b, cells[i])) return true;
        }
      }
    }
    return false;
  }

  void judge(bool thin_air) {
    engine::State state;
    for (const event::Observable& observable : graph_.observables) {
      const auto value = evaluate(observable.value);
      if (!value) return;  // shows the final value of a location that has none
      state.values.push_back(*value);
    }
    state.satisfied = evaluate(graph_.proposition).value_or(0) != 0;
    if (evaluate(graph_.filter).value_or(0) == 0) return;
    if (consistent_) reference_.flags.insert(raised_.begin(), raised_.end());
    if (consistent_) reference_.races.insert(races_.begin(), races_.end());
    state.witness = execution_;
    const auto complaints = check::recheck(query_for(prepared_, model_), state);
    if (complaints.empty() != consistent_ && !reference_.failure) {
      reference_.failure = Failure{
          "evaluators-differ",
          fmt::format("the reference says {}, the witness check says {} about {}",
                      consistent_ ? "consistent" : "inconsistent",
                      complaints.empty() ? "consistent" : complaints.front(), describe(graph_, state))};
    }
    if (!consistent_) return;
    if (thin_air) reference_.closed = false;
    reference_.states.emplace(state.values, state.satisfied);
  }

  event::Valuation valuation_;
  const Prepared& prepared_;
  const ProgramGraph& graph_;
  const MemoryModel& model_;
  std::size_t limit_;
  std::set<std::uint32_t> used_;  // base relations that the model names: it says
                                  // nothing about barriers if none is here
  Reference reference_;
  Execution execution_;
  std::vector<SlotId> reads_;
  std::vector<std::optional<Value>> known_;  // per slot
  std::vector<std::size_t> raised_;          // flags of the candidate in hand
  Races races_;                              // and what they relate
  const std::vector<std::size_t> keys_;      // of events: their instructions
  bool consistent_ = false;                  // the candidate in hand, by naive.h
};

}  // namespace

bool names_pairs(const relation::Constraint& flag) {
  return flag.test == relation::Test::empty && flag.negated;
}

std::optional<Reference> enumerate_all(const Prepared& prepared, const MemoryModel& model,
                                       std::size_t limit) {
  try {
    return Enumerator(prepared, model, limit).run();
  } catch (const TooMany&) {
    return std::nullopt;
  } catch (const event::Overflow&) {  // unbounded integers that do not fit: no answer either
    return std::nullopt;
  }
}

}  // namespace ptxmc::testing

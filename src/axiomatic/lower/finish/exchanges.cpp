// SPDX-License-Identifier: Apache-2.0
// The results of exchanges (unit/exchange.h), once all threads are lowered.
//
// Where all threads come to an exchange alike, they meet there (aligned.cpp). For the others:
//
// The barrier machine says who meets whom, path by path: for each assignment of the decisions that barriers depend on,
// each exchange has one set of partners (or its result would depend on timing, which is refused), hence one result.
// Branches may depend on results, so results are found in rounds. A round knows the decisions that depend on no open
// result, and gives a result to each exchange that has one for each assignment of these, whatever the open decisions
// are: they come after it, as no run passes an exchange before its partners are there. The next round has these results
// in the place of their names, so that threads that branch alike on them have one decision. What no round gives a
// result to depends on decisions that come after it, and is refused.
// Cost of a round: one run of the machine per path; paths without a run that differ from one before only in the names of
// threads (axiomatic/event/sync_shape.h) take none.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "axiomatic/event/sync_machine.h"
#include "axiomatic/event/sync_shape.h"
#include "axiomatic/lower/finish/finish.h"
#include "axiomatic/lower/finish/substitution.h"
#include "support/check.h"

namespace ptxmc::lower {
namespace {

using event::Assignment;
using event::EventId;
using event::Expr;
using event::Truth;

constexpr std::size_t kMaxPaths = 4096;

using Partners = std::vector<const Exchange*>;

/// What the paths of one assignment of the known decisions say of one exchange.
struct Met {
  std::vector<Partners> in_runs;     ///< different ones, of runs that come to their end
  std::vector<Partners> in_misuses;  ///< and of runs that end in a misuse after the exchange
  const std::vector<Partners>& decisive() const { return in_runs.empty() ? in_misuses : in_runs; }
};

/// Assignments of the known decisions, in order of the paths.
struct Group {
  Assignment known;
  Expr condition;
  std::map<EventId, Met> met;  ///< by wait
};

class Round {
 public:
  Round(Unit& unit, const std::set<EventId>& resolved)
      : unit_(unit), pool_(unit.pool()), decisions_(event::sync_decisions(unit.graph)) {
    for (const Exchange& exchange : unit.exchanges) {
      by_arrival_.emplace(exchange.arrival, &exchange);
      if (!resolved.contains(exchange.wait)) open_.push_back(&exchange);
    }
    find_known_decisions();
  }

  Replacements run() {
    walk(Assignment(unit_.graph.decisions.size(), Truth::unset), 0);
    for (const Exchange* exchange : open_) resolve(*exchange);
    close(pool_, results_);
    return std::move(results_);
  }
  /// No path has a run.
  bool stays() const { return !runs_; }
  /// Waits of exchanges that need no other round.
  const std::set<EventId>& done() const { return done_; }

 private:
  /// Those of which neither the condition nor the guard names an open result.
  void find_known_decisions() {
    std::set<EventId> waits;
    for (const Exchange* exchange : open_) waits.insert(exchange->wait);
    const auto names_none = [&](Expr e) {
      const std::vector<EventId> named = pool_.atoms(e);
      return std::none_of(named.begin(), named.end(), [&](EventId wait) { return waits.contains(wait); });
    };
    is_known_.assign(unit_.graph.decisions.size(), false);
    for (const std::uint32_t d : decisions_) {
      const event::Decision& decision = unit_.graph.decisions[d];
      is_known_[d] = names_none(decision.condition) && names_none(decision.guard);
    }
  }

  /// Every assignment of the decisions that barriers depend on.
  void walk(Assignment path, std::size_t next) {
    if (next == decisions_.size()) return on_path(path);
    const event::Decision decision = unit_.graph.decisions[decisions_[next]];
    const auto matters = event::evaluate_guard(unit_.graph, decision.guard, path);
    if (!matters.value_or(true)) return walk(std::move(path), next + 1);
    for (const bool truth : {true, false}) {
      if (truth && !event::may_hold(unit_.graph, decisions_[next], path)) continue;
      path[decisions_[next]] = truth ? Truth::yes : Truth::no;
      walk(path, next + 1);
    }
  }

  void on_path(const Assignment& path) {
    const Exchange& first = unit_.exchanges.front();
    if (++paths_ > kMaxPaths) {
      unit_.errors.beyond(first.position, "`" + first.text +
                                              "`: the barriers before and behind it depend on more than " +
                                              std::to_string(kMaxPaths) + " ways through the program");
    }
    unit_.options.budget.check();
    const auto operations = event::sync_path(unit_.graph, path);
    if (!operations) return;
    const auto shape = unit_.options.paths_alone ? std::nullopt : event::shape_of(unit_.graph, *operations);
    if (shape && hopeless_.contains(*shape)) return;
    const event::Rendezvous meetings = event::meetings(unit_.graph, path, unit_.options.budget);
    if (!meetings.complete) unit_.graph.meetings_open = true;
    const bool none = meetings.runs.empty() && meetings.misuses.empty();
    if (none && meetings.complete && shape) hopeless_.insert(*shape);
    runs_ = runs_ || !none || !meetings.complete;
    if (none) return;
    Group& group = group_of(path);
    for (const Exchange* exchange : open_) {
      const Expr guard = unit_.graph.events[exchange->wait].guard;
      if (!event::evaluate_guard(unit_.graph, guard, path).value_or(false)) continue;
      Met& met = group.met[exchange->wait];
      add_partners(*exchange, meetings.runs, met.in_runs);
      add_partners(*exchange, meetings.misuses, met.in_misuses);
    }
  }

  Group& group_of(const Assignment& path) {
    Assignment known(path.size(), Truth::unset);
    for (const std::uint32_t d : decisions_) {
      if (is_known_[d]) known[d] = path[d];
    }
    const auto [place, fresh] = group_numbers_.try_emplace(known, groups_.size());
    if (!fresh) return groups_[place->second];
    Expr condition = pool_.truth(true);
    for (const std::uint32_t d : decisions_) {
      if (known[d] == Truth::unset) continue;
      const Expr holds = unit_.graph.decisions[d].condition;
      condition = pool_.conjunction(condition, known[d] == Truth::yes ? holds : pool_.negation(holds));
    }
    groups_.push_back({std::move(known), condition, {}});
    return groups_.back();
  }

  /// Those whose arrivals meet the wait, in each of the runs; none: the run ends before.
  void add_partners(const Exchange& self, const std::vector<relation::BitMatrix>& runs,
                    std::vector<Partners>& out) const {
    for (const relation::BitMatrix& run : runs) {
      Partners met;
      for (EventId arrival = 0; arrival < unit_.graph.size(); ++arrival) {
        if (!run.test(arrival, self.wait)) continue;
        const auto other = by_arrival_.find(arrival);
        PTXMC_CHECK(other != by_arrival_.end(), "exchanges meet exchanges (R170)");
        met.push_back(other->second);
      }
      if (!met.empty() && std::find(out.begin(), out.end(), met) == out.end()) out.push_back(std::move(met));
    }
  }

  /// The result of an exchange, if the known decisions tell it.
  void resolve(const Exchange& self) {
    std::vector<std::pair<const Group*, Partners>> cases;
    for (const Group& group : groups_) {
      const auto met = group.met.find(self.wait);
      if (met == group.met.end() || met->second.decisive().empty()) continue;
      const std::vector<Partners>& partners = met->second.decisive();
      if (!alike(self, partners)) return;
      cases.emplace_back(&group, partners.front());
    }
    done_.insert(self.wait);
    if (cases.empty() && unit_.options.open_results) return;
    // A wait that is on no path that has an execution: any value will do.
    ExchangeResult out{pool_.constant(0, result_width(self)), pool_.truth(false)};
    for (std::size_t i = 0; i < cases.size(); ++i) {
      const Expr condition = cases[i].first->condition;
      Exchange here = self;
      here.guard = pool_.conjunction(self.guard, condition);
      const ExchangeResult result = exchange_result(unit_, here, cases[i].second);
      out.value = i == 0 ? result.value : choose(condition, result.value, out.value);
      if (gives_predicate(self))
        out.predicate = i == 0 ? result.predicate : choose(condition, result.predicate, out.predicate);
    }
    results_[{self.wait, 0}] = out.value;
    results_[{self.wait, 1}] = out.predicate;
  }

  Expr choose(Expr condition, Expr yes, Expr no) {
    return pool_.make(event::Op::ite, pool_[yes].width, condition, yes, no);
  }

  /// All these partners give one result.
  bool alike(const Exchange& self, const std::vector<Partners>& partners) {
    Exchange nowhere = self;
    nowhere.guard = pool_.truth(false);  // nothing is noted of it
    std::optional<ExchangeResult> first;
    for (const Partners& met : partners) {
      const ExchangeResult one = exchange_result(unit_, nowhere, met);
      if (!first) first = one;
      const bool same =
          one.value == first->value && (!gives_predicate(self) || one.predicate == first->predicate);
      if (!same) return false;
    }
    return true;
  }

  Unit& unit_;
  event::ExprPool& pool_;
  std::vector<const Exchange*> open_;
  std::vector<std::uint32_t> decisions_;
  std::vector<bool> is_known_;  // per decision of the graph
  std::map<EventId, const Exchange*> by_arrival_;
  std::vector<Group> groups_;
  std::map<Assignment, std::size_t> group_numbers_;
  std::set<std::string> hopeless_;  // shapes of paths without a run
  bool runs_ = false;               // some path has one, or may have
  Replacements results_;
  std::set<EventId> done_;
  std::size_t paths_ = 0;
};

/// Neither the decisions before it nor the runs of one path say who takes part.
[[noreturn]] void refuse_timing(const Unit& unit, const std::set<EventId>& resolved) {
  const auto open = std::find_if(unit.exchanges.begin(), unit.exchanges.end(),
                                 [&](const Exchange& exchange) { return !resolved.contains(exchange.wait); });
  PTXMC_CHECK(open != unit.exchanges.end(), "some exchange has no result");
  unit.errors.unsupported(open->position,
                          "`" + open->text + "`, whose participants depend on the order of arrival");
}

}  // namespace

void rewrite_exchanges(Unit& unit, const Replacements& results) {
  Substitution substitute(unit.pool(), results);
  const auto rewrite = [&](Expr e) { return substitute(e); };
  for (Exchange& exchange : unit.exchanges) {
    for (Expr* e : {&exchange.guard, &exchange.value, &exchange.source, &exchange.clamp}) *e = rewrite(*e);
    for (Expr& choice : exchange.choices) choice = rewrite(choice);
  }
  rewrite_graph(unit, rewrite);
}

void resolve_exchanges(Unit& unit) {
  std::set<EventId> resolved;
  while (true) {
    if (!unit.options.paths_alone) resolve_aligned(unit, resolved);
    if (resolved.size() == unit.exchanges.size()) return;
    Round round(unit, resolved);
    const Replacements results = round.run();
    if (round.done().empty()) refuse_timing(unit, resolved);
    resolved.insert(round.done().begin(), round.done().end());
    rewrite_exchanges(unit, results);
    if (round.stays()) {
      unit.assume(unit.pool().truth(false), unit.pool().truth(true));
      return;
    }
  }
}

}  // namespace ptxmc::lower

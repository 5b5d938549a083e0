// SPDX-License-Identifier: Apache-2.0
// The results of exchanges (unit/exchange.h), once all threads are lowered.
//
// Where all lanes come to an exchange alike, they meet there (aligned.cpp). For the others:
//
// Who meets whom is fixed by the barrier machine, path by path: for each assignment of the decisions that
// barriers depend on, each exchange has one set of partners (or its result would depend on timing, which is
// refused), hence one result; over all paths the result is a choice by the decisions' conditions. Conditions
// may name results of earlier exchanges, so results are put into each other until none is left. A result that
// depends on itself on some path would need a thread to pass an exchange before its partner reached it: the
// machine has no such run. Cost: one run of the machine per path; paths without a run that differ from one before only in
// the names of threads (event/sync_shape.h) take none.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "event/sync_machine.h"
#include "event/sync_shape.h"
#include "lower/finish/finish.h"
#include "lower/finish/substitution.h"

namespace ptxmc::lower {
namespace {

using event::Assignment;
using event::EventId;
using event::Expr;
using event::Op;
using event::Truth;

constexpr std::size_t kMaxPaths = 4096;

class Resolver {
 public:
  Resolver(Unit& unit, const std::set<EventId>& known)
      : unit_(unit), pool_(unit.pool()), known_(known), decisions_(event::sync_decisions(unit.graph)) {
    for (const Exchange& exchange : unit.exchanges) by_arrival_.emplace(exchange.arrival, &exchange);
  }

  Replacements run() {
    walk(Assignment(unit_.graph.decisions.size(), Truth::unset), 0, pool_.truth(true));
    // A wait that is on no path that has an execution: any value will do.
    for (const Exchange& exchange : unit_.exchanges) {
      if (known_.contains(exchange.wait) || unit_.options.open_results) continue;
      results_.try_emplace({exchange.wait, 0}, pool_.constant(0, result_width(exchange)));
      results_.try_emplace({exchange.wait, 1}, pool_.truth(false));
    }
    close(pool_, results_);
    return std::move(results_);
  }
  /// No path has a run.
  bool stays() const { return !runs_; }

 private:
  /// Every assignment of the decisions that barriers depend on.
  void walk(Assignment path, std::size_t next, Expr condition) {
    if (next == decisions_.size()) return on_path(path, condition);
    const event::Decision decision = unit_.graph.decisions[decisions_[next]];
    const auto matters = event::evaluate_guard(unit_.graph, decision.guard, path);
    if (!matters.value_or(true)) return walk(std::move(path), next + 1, condition);
    for (const bool truth : {true, false}) {
      if (truth && !event::may_hold(unit_.graph, decisions_[next], path)) continue;
      path[decisions_[next]] = truth ? Truth::yes : Truth::no;
      const Expr holds = truth ? decision.condition : pool_.negation(decision.condition);
      walk(path, next + 1, pool_.conjunction(condition, holds));
    }
  }

  void on_path(const Assignment& path, Expr condition) {
    if (++paths_ > kMaxPaths) {
      unit_.errors.beyond(unit_.exchanges.front().position, "`" + unit_.exchanges.front().text +
                                                                "`: the barriers before and behind it depend "
                                                                "on more than " +
                                                                std::to_string(kMaxPaths) +
                                                                " ways through the program");
    }
    unit_.options.budget.check();
    const auto operations = event::sync_path(unit_.graph, path);
    if (!operations) return;
    const auto shape = unit_.options.paths_alone ? std::nullopt : event::shape_of(unit_.graph, *operations);
    if (shape && hopeless_.contains(*shape)) return;
    const auto [phases, complete] = event::meetings(unit_.graph, path, unit_.options.budget);
    if (!complete) unit_.graph.meetings_open = true;
    if (phases.empty()) {  // no execution, or one that ends in a misuse
      if (complete && shape) hopeless_.insert(*shape);
      const auto [all, known] =
          event::phase_alternatives(unit_.graph, path, event::SyncReductions::all, unit_.options.budget);
      runs_ = runs_ || !known || !all.empty();
      return;
    }
    runs_ = true;
    for (const Exchange& exchange : unit_.exchanges) {
      if (known_.contains(exchange.wait)) continue;
      if (!event::evaluate_guard(unit_.graph, unit_.graph.events[exchange.wait].guard, path).value_or(false))
        continue;
      Exchange here = exchange;
      here.guard = pool_.conjunction(exchange.guard, condition);
      const ExchangeResult result = exchange_result(unit_, here, partners(exchange, phases));
      add({exchange.wait, 0}, condition, result.value);
      if (gives_predicate(exchange)) add({exchange.wait, 1}, condition, result.predicate);
    }
  }

  void add(std::pair<EventId, event::Value> key, Expr condition, Expr result) {
    const auto [place, fresh] = results_.try_emplace(key, result);
    if (!fresh) place->second = pool_.make(Op::ite, pool_[result].width, condition, result, place->second);
  }

  /// Those whose arrivals meet the wait in every run; fails when runs differ.
  std::vector<const Exchange*> partners(const Exchange& self,
                                        const std::vector<relation::BitMatrix>& phases) const {
    std::vector<const Exchange*> found;
    for (EventId a = 0; a < unit_.graph.size(); ++a) {
      const auto met =
          std::count_if(phases.begin(), phases.end(), [&](const auto& m) { return m.test(a, self.wait); });
      if (met == 0) continue;
      if (static_cast<std::size_t>(met) != phases.size()) {
        unit_.errors.unsupported(self.position,
                                 "`" + self.text + "`, whose participants depend on the order of arrival");
      }
      const auto other = by_arrival_.find(a);
      if (other == by_arrival_.end()) {
        unit_.errors.fail(self.position, "barrier.red meets another kind of barrier operation, `" +
                                             unit_.graph.events[a].text + "`: unpredictable");
      }
      found.push_back(other->second);
    }
    return found;
  }

  Unit& unit_;
  event::ExprPool& pool_;
  const std::set<EventId>& known_;  // waits of exchanges with results
  std::vector<std::uint32_t> decisions_;
  std::map<EventId, const Exchange*> by_arrival_;
  std::set<std::string> hopeless_;  // shapes of paths without a run
  bool runs_ = false;               // some path has one, or may have
  Replacements results_;
  std::size_t paths_ = 0;
};

}  // namespace

void resolve_exchanges(Unit& unit) {
  if (unit.exchanges.empty()) return;
  const std::set<EventId> known = unit.options.paths_alone ? std::set<EventId>{} : resolve_aligned(unit);
  if (known.size() == unit.exchanges.size()) return;
  Resolver resolver(unit, known);
  const Replacements results = resolver.run();
  Substitution substitute(unit.pool(), results);
  rewrite_graph(unit, [&](Expr e) { return substitute(e); });
  if (resolver.stays()) unit.assume(unit.pool().truth(false), unit.pool().truth(true));
}

}  // namespace ptxmc::lower

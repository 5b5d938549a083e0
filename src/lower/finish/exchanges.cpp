// SPDX-License-Identifier: Apache-2.0
// The results of exchanges (unit/exchange.h), once all threads are lowered.
//
// Who meets whom is fixed by the barrier machine, path by path: for each assignment of the decisions that
// barriers depend on, each exchange has one set of partners (or its result would depend on timing, which is
// refused), hence one result; over all paths the result is a choice by the decisions' conditions. Conditions
// may name results of earlier exchanges, so results are put into each other until none is left. A result that
// depends on itself on some path would need a thread to pass an exchange before its partner reached it: the
// machine has no such run. Cost: one run of the machine per path.
#include <algorithm>
#include <map>
#include <utility>

#include "event/sync_machine.h"
#include "lower/finish/finish.h"

namespace ptxmc::lower {
namespace {

using event::Assignment;
using event::EventId;
using event::Expr;
using event::Node;
using event::Op;
using event::Truth;

constexpr std::size_t kMaxPaths = 512;

/// value_of(event, width, part) of an exchange's wait -> the result.
using Replacements = std::map<std::pair<EventId, event::Value>, Expr>;

/// e with atoms replaced.
class Substitution {
 public:
  Substitution(event::ExprPool& pool, const Replacements& replacements)
      : pool_(pool), replacements_(replacements) {}

  Expr operator()(Expr root) {
    std::vector<Expr> open{root};
    while (!open.empty()) {
      const Expr e = open.back();
      if (done_.contains(e) || step(e, open)) open.pop_back();
    }
    return done_.at(root);
  }

 private:
  bool step(Expr e, std::vector<Expr>& open) {
    const Node node = pool_[e];
    if (node.op == Op::value_of) {
      const auto found = replacements_.find({node.atom, node.constant});
      done_[e] = found == replacements_.end() ? e : found->second;
      return true;
    }
    Expr operands[] = {node.a, node.b, node.c};
    const int count = event::arity(node.op);
    for (int i = 0; i < count; ++i) {
      const auto found = done_.find(operands[i]);
      if (found == done_.end()) {
        open.push_back(operands[i]);
        return false;
      }
      operands[i] = found->second;
    }
    done_[e] = count == 0 ? e : pool_.rebuild(node, operands[0], operands[1], operands[2]);
    return true;
  }

  event::ExprPool& pool_;
  const Replacements& replacements_;
  std::map<Expr, Expr> done_;
};

class Resolver {
 public:
  explicit Resolver(Unit& unit)
      : unit_(unit), pool_(unit.pool()), decisions_(event::sync_decisions(unit.graph)) {
    for (const Exchange& exchange : unit.exchanges) by_arrival_.emplace(exchange.arrival, &exchange);
  }

  Replacements run() {
    walk(Assignment(unit_.graph.decisions.size(), Truth::unset), 0, pool_.truth(true));
    // A wait that is on no path that has an execution: any value will do.
    for (const Exchange& exchange : unit_.exchanges) {
      results_.try_emplace({exchange.wait, 0}, pool_.constant(0, result_width(exchange)));
      results_.try_emplace({exchange.wait, 1}, pool_.truth(false));
    }
    close();
    return std::move(results_);
  }

 private:
  /// Every assignment of the decisions that barriers depend on.
  void walk(Assignment path, std::size_t next, Expr condition) {
    if (next == decisions_.size()) return on_path(path, condition);
    const event::Decision decision = unit_.graph.decisions[decisions_[next]];
    const auto matters = event::evaluate_guard(unit_.graph, decision.guard, path);
    if (!matters.value_or(true)) return walk(std::move(path), next + 1, condition);
    for (const bool truth : {true, false}) {
      path[decisions_[next]] = truth ? Truth::yes : Truth::no;
      const Expr holds = truth ? decision.condition : pool_.negation(decision.condition);
      walk(path, next + 1, pool_.conjunction(condition, holds));
    }
  }

  void on_path(const Assignment& path, Expr condition) {
    if (++paths_ > kMaxPaths) {
      unit_.errors.unsupported(unit_.exchanges.front().position,
                               "`" + unit_.exchanges.front().text +
                                   "`: the barriers before and behind it depend "
                                   "on more than " +
                                   std::to_string(kMaxPaths) + " ways through the program");
    }
    const auto [phases, complete] = event::meetings(unit_.graph, path, unit_.options.budget);
    if (!complete) unit_.graph.meetings_open = true;
    if (phases.empty()) return;  // no execution
    for (const Exchange& exchange : unit_.exchanges) {
      if (!event::evaluate_guard(unit_.graph, unit_.graph.events[exchange.wait].guard, path).value_or(false))
        continue;
      Exchange here = exchange;
      here.guard = pool_.conjunction(exchange.guard, condition);
      const ExchangeResult result = exchange_result(unit_, here, partners(exchange, phases));
      add({exchange.wait, 0}, condition, result.value);
      const bool predicate =
          exchange.kind == ExchangeKind::shuffle || exchange.kind == ExchangeKind::elect ||
          (exchange.kind == ExchangeKind::match && exchange.modifiers.warp_mode == isa::WarpMode::all);
      if (predicate) add({exchange.wait, 1}, condition, result.predicate);
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

  /// Puts results into each other: as many rounds as there are results suffice.
  void close() {
    for (std::size_t round = 0; round < results_.size(); ++round) {
      Substitution substitute(pool_, results_);
      Replacements next;
      for (const auto& [key, result] : results_) next[key] = substitute(result);
      if (next == results_) break;
      results_ = std::move(next);
    }
  }

  Unit& unit_;
  event::ExprPool& pool_;
  std::vector<std::uint32_t> decisions_;
  std::map<EventId, const Exchange*> by_arrival_;
  Replacements results_;
  std::size_t paths_ = 0;
};

}  // namespace

void resolve_exchanges(Unit& unit) {
  if (unit.exchanges.empty()) return;
  const Replacements results = Resolver(unit).run();
  Substitution substitute(unit.pool(), results);
  rewrite_graph(unit, [&](Expr e) { return substitute(e); });
}

}  // namespace ptxmc::lower

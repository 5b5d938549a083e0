// SPDX-License-Identifier: Apache-2.0
// Barriers with ids and counts from registers, and the results of barrier.red.
#include <algorithm>

#include "event/barriers.h"
#include "event/sync_machine.h"
#include "lower/finish.h"

namespace ptxmc::lower {
namespace {

using event::Event;
using event::EventId;
using event::EventKind;
using event::Expr;
using event::Node;
using event::Op;

constexpr event::Value kWarp = 32;

std::vector<EventId> arrivals_of(const event::ProgramGraph& graph) {
  std::vector<EventId> found;
  for (EventId e = 0; e < graph.size(); ++e) {
    const Event& event = graph.events[e];
    if (event.kind == EventKind::arrival && event.barrier && !event.barrier->cluster) found.push_back(e);
  }
  return found;
}

/// A count from a register, by cases: only as many arrivals as the program has can complete a phase, any
/// other value (0 here) never does.
Expr count_by_cases(Unit& unit, const Event& arrival, std::size_t most) {
  auto& pool = unit.pool();
  const Expr raw = *arrival.barrier->count;
  const event::Value per_thread = arrival.barrier->instance_first ? 1 : kWarp;
  Expr count = pool.constant(0, unit.word());
  for (auto k = static_cast<event::Value>(most); k > 0; --k) {
    const Expr is_k = pool.make(Op::eq, 1, raw, pool.constant(k * per_thread, unit.word()));
    unit.decide(arrival.thread, is_k, arrival.guard);
    count = pool.make(Op::ite, unit.word(), is_k, pool.constant(k, unit.word()), count);
  }
  return count;
}

/// e with atoms replaced: value_of(x) by replacement[x] where there is one.
class Substitution {
 public:
  Substitution(event::ExprPool& pool, const std::map<EventId, Expr>& replacements)
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
      const auto found = replacements_.find(node.atom);
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
    done_[e] = count == 0 ? e : pool_.make(node.op, node.width, operands[0], operands[1], operands[2]);
    return true;
  }

  event::ExprPool& pool_;
  const std::map<EventId, Expr>& replacements_;
  std::map<Expr, Expr> done_;
};

/// The arrivals that meet `wait` in every run; fails when runs differ.
std::vector<EventId> participants(const Unit& unit, const std::vector<relation::BitMatrix>& phases,
                                  EventId wait) {
  std::vector<EventId> found;
  for (const EventId a : arrivals_of(unit.graph)) {
    const auto met =
        std::count_if(phases.begin(), phases.end(), [&](const auto& m) { return m.test(a, wait); });
    if (met == 0) continue;
    if (static_cast<std::size_t>(met) != phases.size()) {
      unit.errors.unsupported(unit.graph.events[wait].position,
                              "barrier.red whose participants depend on the order of arrival");
    }
    found.push_back(a);
  }
  return found;
}

Expr reduce(Unit& unit, const Reduction& target, const std::vector<EventId>& arrivals) {
  auto& pool = unit.pool();
  Expr result = pool.constant(target.op == isa::BarrierRed::and_ ? 1 : 0, target.width);
  for (const EventId a : arrivals) {
    const auto part = std::find_if(unit.reductions.begin(), unit.reductions.end(),
                                   [&](const Reduction& r) { return r.arrival == a; });
    if (part == unit.reductions.end() || part->op != target.op) {
      unit.errors.fail(unit.graph.events[target.wait].position,
                       "barrier.red meets another kind of barrier operation, `" + unit.graph.events[a].text +
                           "`: unpredictable");
    }
    switch (target.op) {
      case isa::BarrierRed::popc:
        result = pool.make(Op::add, 32, result, pool.make(Op::zero_extend, 32, part->predicate));
        break;
      case isa::BarrierRed::and_:
        result = pool.conjunction(result, part->predicate);
        break;
      case isa::BarrierRed::or_:
        result = pool.disjunction(result, part->predicate);
        break;
      case isa::BarrierRed::none:
        break;
    }
  }
  return result;
}

}  // namespace

void decide_barriers(Unit& unit) {
  const std::vector<EventId> arrivals = arrivals_of(unit.graph);
  for (const EventId a : arrivals) {
    const Event arrival = unit.graph.events[a];
    if (!arrival.barrier->count || unit.pool().is_constant(*arrival.barrier->count)) continue;
    const auto most = std::count_if(arrivals.begin(), arrivals.end(), [&](EventId b) {
      return event::may_be_one_barrier(unit.graph, arrival, unit.graph.events[b]);
    });
    const Expr count = count_by_cases(unit, arrival, static_cast<std::size_t>(most));
    unit.graph.events[a].barrier->count = count;
    if (arrival.barrier->wait != event::kNoEvent)
      unit.graph.events[arrival.barrier->wait].barrier->count = count;
  }
  for (std::size_t i = 0; i < arrivals.size(); ++i) {
    const Event& first = unit.graph.events[arrivals[i]];
    for (std::size_t j = i + 1; j < arrivals.size(); ++j) {
      const Event& second = unit.graph.events[arrivals[j]];
      if (!event::may_be_one_barrier(unit.graph, first, second)) continue;
      const Expr same = event::same_barrier_id(unit.pool(), *first.barrier, *second.barrier);
      unit.decide(first.thread, same, unit.pool().conjunction(first.guard, second.guard));
    }
  }
}

void resolve_reductions(Unit& unit) {
  if (unit.reductions.empty()) return;
  if (!event::sync_decisions(unit.graph).empty()) {
    unit.errors.unsupported(unit.graph.events[unit.reductions.front().wait].position,
                            "barrier.red in a program whose barriers depend on values");
  }
  const event::Assignment path(unit.graph.decisions.size(), event::Truth::unset);
  const auto phases = event::phase_alternatives(unit.graph, path);
  std::map<EventId, Expr> results;
  for (const Reduction& reduction : unit.reductions) {
    const EventId wait = reduction.wait;
    results[wait] =
        reduce(unit, reduction, phases.empty() ? std::vector<EventId>{} : participants(unit, phases, wait));
  }
  // A predicate may depend on the results of earlier phases: as many rounds as there are results replace them
  // all.
  for (std::size_t round = 0; round < unit.reductions.size(); ++round) {
    Substitution substitute(unit.pool(), results);
    std::map<EventId, Expr> next;
    for (const auto& [wait, result] : results) next[wait] = substitute(result);
    if (next == results) break;
    results = std::move(next);
  }
  Substitution substitute(unit.pool(), results);
  rewrite_graph(unit, [&](Expr e) { return substitute(e); });
}

void rewrite_graph(Unit& unit, const std::function<Expr(Expr)>& rewrite) {
  for (Event& event : unit.graph.events) {
    event.guard = rewrite(event.guard);
    if (event.is_access()) event.value = rewrite(event.value);
    if (event.address) event.address = rewrite(*event.address);
  }
  for (event::Misuse& misuse : unit.graph.misuses) misuse.guard = rewrite(misuse.guard);
  for (Event& event : unit.graph.events) {
    if (!event.mbarrier) continue;
    for (std::optional<Expr> event::Mbarrier::*member :
         {&event::Mbarrier::count, &event::Mbarrier::tx, &event::Mbarrier::token, &event::Mbarrier::parity}) {
      std::optional<Expr>& operand = (*event.mbarrier).*member;
      if (operand) operand = rewrite(*operand);
    }
  }
  for (event::Part& part : unit.graph.parts) part.value = rewrite(part.value);
  for (Expr& assumption : unit.graph.assumptions) assumption = rewrite(assumption);
  for (event::Hang& hang : unit.graph.hangs) hang.guard = rewrite(hang.guard);
  for (Expr& end : unit.ends) end = rewrite(end);
  for (Expr& cut : unit.cuts) cut = rewrite(cut);
  for (auto& registers : unit.final_registers) {
    for (auto& [name, value] : registers) value.expr = rewrite(value.expr);
  }
  const auto old = std::move(unit.graph.decisions);
  unit.forget_decisions();
  for (const event::Decision& decision : old) {
    unit.decide(decision.thread, rewrite(decision.condition), rewrite(decision.guard));
  }
}

}  // namespace ptxmc::lower

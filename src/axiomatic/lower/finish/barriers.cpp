// SPDX-License-Identifier: Apache-2.0
// Barriers with ids and counts from registers.
#include "axiomatic/event/barriers.h"

#include <algorithm>
#include <set>
#include <utility>

#include "axiomatic/lower/finish/finish.h"
#include "finding/rules.h"
#include "ptx/rules/limits.h"

namespace ptxmc::lower {
namespace {

using event::Event;
using event::EventId;
using event::EventKind;
using event::Expr;
using event::Op;

std::vector<EventId> arrivals_of(const event::ProgramGraph& graph) {
  std::vector<EventId> found;
  for (EventId e = 0; e < graph.size(); ++e) {
    const Event& event = graph.events[e];
    if (event.kind == EventKind::arrival && event.barrier && !event.barrier->cluster) found.push_back(e);
  }
  return found;
}

/// R163: an id from a register that is none: undefined.
void check_id(Unit& unit, const Event& arrival) {
  if (arrival.barrier->instance_first || arrival.barrier->warp) return;
  auto& pool = unit.pool();
  const Expr id = arrival.barrier->id;
  const event::Width width = pool[id].width;
  const Expr below = pool.make(Op::lt_s, 1, id, pool.constant(0, width));
  const Expr above = pool.make(Op::lt_s, 1, pool.constant(rules::kBarriers - 1, width), id);
  const Expr guard = pool.conjunction(arrival.guard, pool.disjunction(below, above));
  if (!pool.is_false(guard))
    unit.graph.misuses.push_back({finding::RuleId::barrier_misuse, guard, arrival.position, arrival.text});
}

/// R163: a count is of whole warps.
Expr is_no_count(event::ExprPool& pool, Expr raw) {
  const event::Width width = pool[raw].width;
  const Expr rest = pool.make(Op::and_, width, raw, pool.constant(kWarp - 1, width));
  const Expr whole = pool.make(Op::eq, 1, rest, pool.constant(0, width));
  return pool.disjunction(pool.negation(whole), pool.make(Op::le_s, 1, raw, pool.constant(0, width)));
}

/// A count from a register, by cases: only as many arrivals as the program has can complete a phase, any
/// other value (0 here) never does; of a native barrier, what is no count is kNoCount.
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
  if (arrival.barrier->instance_first) return count;
  const Expr wrong = is_no_count(pool, raw);
  unit.decide(arrival.thread, wrong, arrival.guard);
  return pool.make(Op::ite, unit.word(), wrong, pool.constant(event::kNoCount, unit.word()), count);
}

}  // namespace

void decide_barriers(Unit& unit) {
  const std::vector<EventId> arrivals = arrivals_of(unit.graph);
  for (const EventId a : arrivals) {
    const Event arrival = unit.graph.events[a];
    check_id(unit, arrival);
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

void rewrite_graph(Unit& unit, const std::function<Expr(Expr)>& rewrite) {
  for (Event& event : unit.graph.events) {
    event.guard = rewrite(event.guard);
    if (event.is_access()) event.value = rewrite(event.value);
    if (event.address) event.address = rewrite(*event.address);
    if (!event.barrier) continue;
    event.barrier->id = rewrite(event.barrier->id);
    if (event.barrier->count) event.barrier->count = rewrite(*event.barrier->count);
  }
  for (event::Misuse& misuse : unit.graph.misuses) misuse.guard = rewrite(misuse.guard);
  for (Event& event : unit.graph.events) {
    if (!event.mbarrier) continue;
    for (std::optional<Expr> event::Mbarrier::*member :
         {&event::Mbarrier::count, &event::Mbarrier::tx, &event::Mbarrier::token, &event::Mbarrier::parity,
          &event::Mbarrier::seen}) {
      std::optional<Expr>& operand = (*event.mbarrier).*member;
      if (operand) operand = rewrite(*operand);
    }
  }
  for (event::Part& part : unit.graph.parts) part.value = rewrite(part.value);
  for (Expr& assumption : unit.graph.assumptions) assumption = rewrite(assumption);
  for (event::Hang& hang : unit.graph.hangs) hang.guard = rewrite(hang.guard);
  std::set<Expr> blocks;
  for (const Expr block : unit.blocks) blocks.insert(rewrite(block));
  unit.blocks = std::move(blocks);
  for (Unit::SpinEvents& spin : unit.spins) spin.leaves = rewrite(spin.leaves);
  for (Expr& end : unit.ends) end = rewrite(end);
  for (Expr& cut : unit.cuts) cut = rewrite(cut);
  for (auto& registers : unit.final_registers) {
    for (Typed& value : registers) value.expr = rewrite(value.expr);
  }
  const auto old = std::move(unit.graph.decisions);
  unit.forget_decisions();
  for (const event::Decision& decision : old) {
    unit.decide(decision.thread, rewrite(decision.condition), rewrite(decision.guard));
  }
}

}  // namespace ptxmc::lower

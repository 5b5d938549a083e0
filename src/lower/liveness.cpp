// SPDX-License-Identifier: Apache-2.0
#include "lower/liveness.h"

#include <algorithm>
#include <vector>

#include "lower/unit.h"
#include "lower/value_domains.h"
#include "support/check.h"

namespace ptxmc::lower {
namespace {

using event::EventId;
using event::Expr;
using event::ThreadId;

constexpr event::Width kOracleWidth = 32;

/// What becomes of a thread, as truth values.
struct Fate {
  Expr ends, waits;
};

std::vector<Fate> fates(Unit& unit) {
  std::vector<Fate> all;
  for (const Expr ends : unit.ends) all.push_back({ends, unit.pool().truth(false)});
  for (const event::Hang& hang : unit.graph.hangs) {
    Fate& fate = all[hang.thread];
    fate.waits = unit.pool().disjunction(fate.waits, hang.guard);
  }
  return all;
}

/// The threads of each GPU by CTA, CTAs in the order of their first threads.
std::map<int, std::vector<std::vector<ThreadId>>> ctas_by_gpu(const event::ProgramGraph& graph) {
  std::map<int, std::vector<std::vector<ThreadId>>> result;
  for (ThreadId t = 0; t < graph.threads.size(); ++t) {
    if (graph.threads[t].host) continue;
    auto& ctas = result[graph.threads[t].gpu];
    const auto place = std::find_if(ctas.begin(), ctas.end(), [&](const std::vector<ThreadId>& cta) {
      return graph.threads[cta.front()].cta == graph.threads[t].cta;
    });
    if (place == ctas.end()) {
      ctas.push_back({t});
    } else {
      place->push_back(t);
    }
  }
  return result;
}

/// hsa: in the first CTA of the GPU that has not ended, nobody has stopped.
Expr first_unfinished_runs(Unit& unit, const std::vector<Fate>& fates,
                           const std::vector<std::vector<ThreadId>>& ctas) {
  auto& pool = unit.pool();
  Expr result = pool.truth(true);
  for (auto cta = ctas.rbegin(); cta != ctas.rend(); ++cta) {
    Expr ended = pool.truth(true), runs = pool.truth(true);
    for (const ThreadId t : *cta) {
      ended = pool.conjunction(ended, fates[t].ends);
      runs = pool.conjunction(runs, pool.disjunction(fates[t].ends, fates[t].waits));
    }
    result = pool.disjunction(pool.conjunction(ended, result), pool.conjunction(pool.negation(ended), runs));
  }
  return result;
}

/// obe: a GPU leaves nobody waiting to start while none of its threads waits for ever and takes up the room.
Expr room_is_taken(Unit& unit, const std::vector<Fate>& fates,
                   const std::vector<std::vector<ThreadId>>& ctas) {
  auto& pool = unit.pool();
  Expr all_ran = pool.truth(true), some_waits = pool.truth(false);
  for (const auto& cta : ctas) {
    for (const ThreadId t : cta) {
      all_ran = pool.conjunction(all_ran, pool.disjunction(fates[t].ends, fates[t].waits));
      some_waits = pool.disjunction(some_waits, fates[t].waits);
    }
  }
  return pool.disjunction(all_ran, some_waits);
}

/// Somebody waits for ever, and the scheduler has done what it must.
Expr somebody_waits(Unit& unit) {
  auto& pool = unit.pool();
  const std::vector<Fate> all = fates(unit);
  Expr result = pool.truth(false);
  for (const Fate& fate : all) result = pool.disjunction(result, fate.waits);
  if (unit.options.liveness == ProgressModel::fair) return result;
  const bool obe = unit.options.liveness == ProgressModel::obe;
  for (const auto& [gpu, ctas] : ctas_by_gpu(unit.graph)) {
    result = pool.conjunction(result,
                              obe ? room_is_taken(unit, all, ctas) : first_unfinished_runs(unit, all, ctas));
  }
  return result;
}

}  // namespace

void Oracles::add(Unit& unit, const OraclePlan& plan) {
  for (const auto& [key, largest] : plan) add(unit, key, largest);
  fixed_ = true;
}

EventId Oracles::add(Unit& unit, OracleKey key, event::Value largest) {
  event::Cell cell;
  cell.name = "scheduler";
  cell.width = kOracleWidth;
  unit.graph.cells.push_back(cell);
  event::Event event;
  event.kind = event::EventKind::initial_write;
  event.guard = unit.pool().truth(true);
  event.cell = static_cast<event::CellId>(unit.graph.cells.size() - 1);
  event.value = unit.pool().value_of(static_cast<EventId>(unit.graph.size()), kOracleWidth);
  event.labels.space = isa::Space::global;
  event.text = "choice of the scheduler";
  for (event::Value v = 0; v <= largest; ++v) event.choices.push_back(v);
  const EventId id = unit.add_event(std::move(event));
  events_.emplace(key, id);
  return id;
}

Expr Oracles::is(Unit& unit, OracleKey key, event::Value value) {
  // One more value than is asked for: "none of these".
  event::Value& largest = asked_[key];
  largest = std::max(largest, value + 1);
  auto place = events_.find(key);
  if (place == events_.end()) {
    PTXMC_CHECK(!fixed_, "the second run over the threads asks the scheduler what the first did not");
    add(unit, key, largest);
    place = events_.find(key);
  }
  auto& pool = unit.pool();
  return pool.make(event::Op::eq, 1, pool.value_of(place->second, kOracleWidth),
                   pool.constant(value, kOracleWidth));
}

bool may_stop(const event::ProgramGraph& graph, ThreadId thread) {
  const event::ThreadInfo& info = graph.threads[thread];
  if (info.host) return false;
  const auto first =
      std::find_if(graph.threads.begin(), graph.threads.end(),
                   [&](const event::ThreadInfo& other) { return !other.host && other.gpu == info.gpu; });
  return first->cta != info.cta;
}

void finish_liveness(Unit& unit) {
  event::ProgramGraph& graph = unit.graph;
  // A host call that waits for a kernel waits for ever when the kernel does: nothing here says so yet.
  if (unit.test.kernels.stated) {
    unit.errors.unsupported(unit.test.threads.front().position, "liveness of a test with a section kernels");
  }
  const Expr waits = somebody_waits(unit);
  graph.assumptions.push_back(waits);
  graph.proposition = waits;
  graph.filter = unit.pool().truth(true);
  graph.goal = event::Goal::exists;
  graph.observables.clear();
  const ValueDomains domains(graph);
  graph.cut =
      std::any_of(unit.cuts.begin(), unit.cuts.end(), [&](Expr cut) { return domains.may_hold(cut); });
}

}  // namespace ptxmc::lower

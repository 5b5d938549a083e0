// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/lower/finish/liveness.h"

#include <algorithm>
#include <map>
#include <vector>

#include "axiomatic/lower/unit/unit.h"

namespace ptxmc::lower {
namespace {

using event::Expr;
using event::ThreadId;

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

/// hsa: in the first CTA of the GPU that has not ended, no thread has stopped.
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

/// obe: a GPU leaves no thread waiting to start while none of its threads waits forever and takes up the
/// room.
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

/// A thread waits forever, and the scheduler has done what it must.
Expr some_thread_waits(Unit& unit) {
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

void finish_liveness(Unit& unit) {
  event::ProgramGraph& graph = unit.graph;
  // A host call that waits for a kernel waits forever when the kernel does: nothing here says so yet.
  if (unit.program.kernels.stated) {
    unit.errors.unsupported(unit.program.threads.front().position,
                            "liveness of a test with a section kernels");
  }
  const Expr waits = some_thread_waits(unit);
  graph.assumptions.push_back(waits);
  graph.proposition = waits;
  graph.filter = unit.pool().truth(true);
  graph.goal = event::Goal::exists;
  graph.observables.clear();
}

}  // namespace ptxmc::lower

// SPDX-License-Identifier: Apache-2.0
// Barriers that wait forever in no run (liveness.h). Each wait that may never end is a choice of the
// executions, so that as many paths are to be tried as subsets of the waits. Most programs need none of them:
// where threads come to their barriers whatever they read, one run of the phase machine says that all of them
// pass.
#include <algorithm>

#include "axiomatic/event/barriers.h"
#include "axiomatic/event/sync_path.h"
#include "axiomatic/event/sync_runs.h"
#include "axiomatic/lower/finish/liveness.h"
#include "axiomatic/lower/unit/nondeterministic_choices.h"

namespace ptxmc::lower {

using event::Event;
using event::EventId;
using event::ProgramGraph;
using event::ThreadId;

namespace {

bool synchronizes(const Event& event) {
  return event.barrier || event.mbarrier || event.kind == event::EventKind::issue;
}

/// Per thread: it comes to its end and to all its synchronization operations on every path.
std::vector<bool> unconditional(const ProgramGraph& graph) {
  std::vector<bool> ends(graph.threads.size(), false), comes(graph.threads.size(), true);
  for (EventId e = 0; e < graph.size(); ++e) {
    const Event& event = graph.events[e];
    if (event.thread == event::kNoThread) continue;
    if (graph.exprs.is_true(event.guard) && event::is_thread_end(graph, e)) ends[event.thread] = true;
    if (!graph.exprs.is_constant(event.guard) && synchronizes(event)) comes[event.thread] = false;
  }
  for (ThreadId t = 0; t < comes.size(); ++t) comes[t] = comes[t] && ends[t];
  return comes;
}

/// Leaves the operations of threads whose fate hangs on nothing: on those of the threads that they may meet neither. Nothing:
/// there are paths.
std::optional<std::vector<bool>> cut_to_certain(ProgramGraph& graph) {
  const std::vector<bool> pass = unconditional(graph);
  // Objects belong to a cluster, so that threads of two clusters never meet.
  const auto meets_another = [&](ThreadId t) {
    for (ThreadId other = 0; other < pass.size(); ++other) {
      if (!pass[other] && graph.threads[other].cluster == graph.threads[t].cluster) return true;
    }
    return false;
  };
  std::vector<bool> alone(pass.size(), false);
  for (ThreadId t = 0; t < pass.size(); ++t) alone[t] = !meets_another(t);
  for (Event& event : graph.events) {
    if (event.thread != event::kNoThread && !alone[event.thread]) event.guard = graph.exprs.truth(false);
  }
  graph.hangs.clear();
  if (!event::sync_decisions(graph).empty()) return std::nullopt;
  return alone;
}

}  // namespace

std::vector<bool> passing_threads(ProgramGraph graph, const Budget& budget) {
  const auto certain = cut_to_certain(graph);
  if (!certain) return std::vector<bool>(graph.threads.size(), false);
  const event::Assignment open(graph.decisions.size(), event::Truth::unset);
  std::vector<bool> pass = event::always_pass(graph, open, budget);
  for (ThreadId t = 0; t < pass.size(); ++t) pass[t] = pass[t] && (*certain)[t];
  return pass;
}

std::vector<std::optional<std::size_t>> staying_threads(ProgramGraph graph, const Budget& budget) {
  std::vector<std::optional<std::size_t>> stays(graph.threads.size());
  const auto certain = cut_to_certain(graph);
  if (!certain) return stays;
  const event::Assignment open(graph.decisions.size(), event::Truth::unset);
  const auto where = event::always_stays(graph, open, budget);
  for (ThreadId t = 0; t < stays.size(); ++t) {
    if (!(*certain)[t] || !where[t]) continue;
    stays[t] = *where[t] == event::kNoEvent ? kNoWait : waits_before(graph, t, *where[t]);
  }
  return stays;
}

}  // namespace ptxmc::lower

// SPDX-License-Identifier: Apache-2.0
// Quorums: how the published PTX models (6.0, 7.5) read a barrier, kept for comparison with them.
//
// There are no phases. A waiting operation with count k follows k-1 arrivals of other operations of the same
// barrier, each by another thread, in one direction only; without a count it follows all of them. Arrivals
// that no wait needs pass. Where the arrivals do not suffice there is no execution; where a choice of them is
// circular the model's own axioms refuse it. Alternatives are the product of the choices of all waits:
// exponential, capped.
#include <algorithm>

#include "axiomatic/event/barriers.h"

namespace ptxmc::event {
namespace {

using relation::BitMatrix;

/// Arrivals that the wait of `op` may count: same barrier, other threads.
std::vector<EventId> candidates(const BarrierPath& path, const BarrierOperation& op) {
  std::vector<EventId> found;
  for (const BarrierOperation& other : path.operations) {
    if (other.object == op.object && other.thread != op.thread) found.push_back(other.arrival);
  }
  return found;
}

/// A thread would take part that never comes that far (liveness).
bool held_up(const BarrierPath& path, const BarrierOperation& op) {
  const auto& participants = path.objects[op.object].participants;
  return std::any_of(participants.begin(), participants.end(), [&](ThreadId t) {
    return !path.ends[t] &&
           std::none_of(path.operations.begin(), path.operations.end(),
                        [&](const auto& other) { return other.object == op.object && other.thread == t; });
  });
}

/// Each matrix extended by each choice of `k` of the arrivals; no more than kMaxBarrierAlternatives of them.
Alternatives extend(const Alternatives& known, const std::vector<EventId>& arrivals, std::size_t k,
                    EventId wait, const Budget& budget) {
  Alternatives result{{}, known.complete};
  std::vector<char> chosen(arrivals.size(), 0);
  std::fill(chosen.begin(), chosen.begin() + static_cast<std::ptrdiff_t>(k), 1);
  do {
    budget.check();
    for (const BitMatrix& matrix : known.values) {
      if (result.values.size() == kMaxBarrierAlternatives) {
        result.complete = false;
        return result;
      }
      result.values.push_back(matrix);
      for (std::size_t i = 0; i < arrivals.size(); ++i) {
        if (chosen[i]) result.values.back().set(arrivals[i], wait);
      }
    }
  } while (std::prev_permutation(chosen.begin(), chosen.end()));
  return result;
}

}  // namespace

Alternatives quorum_alternatives(const ProgramGraph& graph, const Assignment& assignment,
                                 const Budget& budget) {
  const auto path = barrier_path(graph, assignment);
  if (!path) return {};
  Alternatives result{{BitMatrix(graph.size())}};
  for (const BarrierOperation& op : path->operations) {
    if (op.wait == kNoEvent) continue;
    const std::vector<EventId> arrivals = candidates(*path, op);
    const bool never =
        op.count ? *op.count < 1 || *op.count > static_cast<Value>(arrivals.size()) + 1 : held_up(*path, op);
    if (never != op.blocked) return {};
    if (op.blocked || op.exchange) continue;
    const std::size_t k = op.count ? static_cast<std::size_t>(*op.count - 1) : arrivals.size();
    result = extend(result, arrivals, k, op.wait, budget);
  }
  return result;
}

}  // namespace ptxmc::event

// SPDX-License-Identifier: Apache-2.0
// From guarded synchronization events with symbolic operands to the operations of one path.
#include "axiomatic/event/sync_path.h"

#include <algorithm>
#include <map>
#include <set>

#include "axiomatic/event/barriers.h"
#include "axiomatic/event/guards.h"
#include "support/check.h"

namespace ptxmc::event {
namespace {

bool of_cluster(const Event& e) {
  return e.barrier && e.barrier->cluster;
}

/// Events that the machine is about. The `end` event of a wait that waits forever carries its operands.
bool takes_part(const Event& e) {
  switch (e.kind) {
    case EventKind::arrival:
    case EventKind::mbarrier:
    case EventKind::signal:
    case EventKind::issue:
      return true;
    case EventKind::wait:
    case EventKind::end:
      return e.mbarrier || of_cluster(e);
    default:
      return false;
  }
}

class Reader {
 public:
  Reader(const ProgramGraph& graph, const Assignment& assignment) : graph_(graph), assignment_(assignment) {}

  std::optional<SyncPath> run() {
    if (!add_barriers()) return std::nullopt;
    for (EventId e = 0; e < graph_.size(); ++e) {
      const Event& event = graph_.events[e];
      if (!takes_part(event) || !exists(e)) continue;
      if (event.mbarrier) {
        add_mbarrier(e);
      } else if (of_cluster(event)) {
        add_cluster(e);
      } else if (event.kind == EventKind::arrival) {
        path_.operations.push_back(barriers_.at(e));
      } else if (event.kind == EventKind::issue) {
        add_issue(e);
      }
    }
    link();
    return std::move(path_);
  }

 private:
  bool exists(EventId e) const { return exists_on(graph_, graph_.events[e].guard, assignment_); }

  Value number(Expr e) const {
    const auto value = evaluate_under(graph_.exprs, graph_.decisions, e, assignment_);
    PTXMC_CHECK(value.has_value(), "an assignment leaves an operand of an mbarrier operation open");
    return *value;
  }

  bool add_barriers() {
    auto bars = barrier_path(graph_, assignment_);
    if (!bars) return false;
    path_.ends = std::move(bars->ends);
    for (BarrierObject& object : bars->objects) {
      path_.objects.push_back({ObjectKind::barrier, std::move(object.participants), std::nullopt});
    }
    for (const BarrierOperation& bar : bars->operations) {
      SyncOperation op;
      op.kind = SyncKind::barrier;
      op.event = bar.arrival;
      op.wait = bar.wait;
      op.exchange = bar.exchange;
      op.reduces = bar.reduces;
      op.blocked = bar.blocked;
      op.thread = bar.thread;
      op.object = bar.object;
      op.count = bar.count;
      barriers_.emplace(bar.arrival, op);
    }
    return true;
  }

  SyncOperation start(EventId e, SyncKind kind) const {
    SyncOperation op;
    op.kind = kind;
    op.event = e;
    op.thread = graph_.events[e].thread;
    op.blocked = graph_.events[e].kind == EventKind::end;
    return op;
  }

  void add_cluster(EventId e) {
    const bool arrives = graph_.events[e].kind == EventKind::arrival;
    SyncOperation op = start(e, arrives ? SyncKind::cluster_arrive : SyncKind::cluster_wait);
    const std::uint32_t cluster = graph_.threads[op.thread].cluster;
    const auto [place, fresh] = clusters_.try_emplace(cluster, static_cast<ObjectId>(path_.objects.size()));
    if (fresh) {
      SyncObject object{ObjectKind::cluster, {}, std::nullopt};
      for (ThreadId t = 0; t < graph_.threads.size(); ++t) {
        if (!graph_.threads[t].host && graph_.threads[t].cluster == cluster) object.participants.push_back(t);
      }
      path_.objects.push_back(std::move(object));
    }
    op.object = place->second;
    path_.operations.push_back(op);
  }

  ObjectId mbarrier(const Mbarrier& operands) {
    const std::pair<std::uint32_t, Value> name{operands.owner, number(operands.object)};
    const auto [place, fresh] = mbarriers_.try_emplace(name, static_cast<ObjectId>(path_.objects.size()));
    if (fresh) {
      SyncObject object{ObjectKind::mbarrier, {}, std::nullopt};
      for (const InitialMbarrier& initial : graph_.mbarriers) {
        if (initial.owner == name.first && initial.object == name.second) object.count = initial.count;
      }
      path_.objects.push_back(std::move(object));
    }
    return place->second;
  }

  void add_mbarrier(EventId e) {
    const Mbarrier& operands = *graph_.events[e].mbarrier;
    SyncOperation op = start(e, SyncKind::change);
    op.object = mbarrier(operands);
    switch (operands.op) {
      case MbarrierOp::init:
        op.kind = SyncKind::init;
        op.count = number(*operands.count);
        break;
      case MbarrierOp::inval:
        op.kind = SyncKind::inval;
        break;
      case MbarrierOp::wait:
        op.kind = SyncKind::wait;
        if (operands.parity) op.parity = number(*operands.parity);
        break;
      case MbarrierOp::test_failed:
        op.kind = SyncKind::fails;
        if (operands.parity) op.parity = number(*operands.parity);
        break;
      case MbarrierOp::expect_tx:
        op.tx = number(*operands.tx);
        break;
      case MbarrierOp::complete_tx:
        op.tx = -number(*operands.tx);
        op.synchronizes = true;
        break;
      case MbarrierOp::arrive:
      case MbarrierOp::arrive_drop:
        op.arrivals = operands.count ? number(*operands.count) : 1;
        if (operands.tx) op.tx = number(*operands.tx);
        op.drop = operands.op == MbarrierOp::arrive_drop;
        op.no_complete = operands.no_complete;
        if (operands.seen) op.seen = number(*operands.seen);
        op.synchronizes = true;
        break;
      case MbarrierOp::signal:
        if (operands.count) op.arrivals = number(*operands.count);
        if (operands.tx) op.tx = -number(*operands.tx);
        op.synchronizes = true;
        break;
    }
    path_.operations.push_back(op);
  }

  void add_issue(EventId e) {
    const bool signals = std::any_of(graph_.events.begin(), graph_.events.end(), [e](const Event& event) {
      return event.kind == EventKind::signal && event.issue == e;
    });
    if (signals) path_.operations.push_back(start(e, SyncKind::issue));
  }

  /// What refers to other operations.
  void link() {
    std::map<EventId, OperationId> known;
    for (OperationId o = 0; o < path_.operations.size(); ++o) known.emplace(path_.operations[o].event, o);
    for (OperationId o = 0; o < path_.operations.size(); ++o) {
      SyncOperation& op = path_.operations[o];
      path_.some_blocked = path_.some_blocked || op.blocked;
      const Event& event = graph_.events[op.event];
      if (event.kind == EventKind::signal) {
        const auto issue = known.find(event.issue);
        PTXMC_CHECK(issue != known.end(), "a completion signal without its issue");
        op.issued = issue->second;
        if (event.mbarrier->increments_pending) {
          path_.operations[issue->second].increments.emplace_back(op.object, op.arrivals);
        }
      }
      const bool looks = op.kind == SyncKind::wait || op.kind == SyncKind::fails;
      if (!looks || !event.mbarrier->token) continue;
      const Value state = number(*event.mbarrier->token);
      for (const auto& [arrival, number] : known) {
        const bool same = state_of(graph_, arrival) == state && path_.operations[number].object == op.object;
        if (same) op.token = number;
      }
    }
  }

  const ProgramGraph& graph_;
  const Assignment& assignment_;
  std::map<EventId, SyncOperation> barriers_;
  std::map<std::uint32_t, ObjectId> clusters_;
  std::map<std::pair<std::uint32_t, Value>, ObjectId> mbarriers_;
  SyncPath path_;
};

}  // namespace

Value state_of(const ProgramGraph& graph, EventId arrival) {
  const auto& operands = graph.events[arrival].mbarrier;
  const bool arrives =
      operands && (operands->op == MbarrierOp::arrive || operands->op == MbarrierOp::arrive_drop);
  return arrives && operands->token ? graph.exprs[*operands->token].constant : arrival_state(arrival);
}

std::optional<SyncPath> sync_path(const ProgramGraph& graph, const Assignment& assignment) {
  return Reader(graph, assignment).run();
}

std::vector<std::uint32_t> sync_decisions(const ProgramGraph& graph) {
  if (graph.decisions.empty()) return {};
  std::set<Expr> wanted;
  const auto add = [&](Expr e) {
    const auto list = leaves(graph.exprs, e);
    wanted.insert(list.begin(), list.end());
  };
  for (const Event& event : graph.events) {
    if (!takes_part(event)) continue;
    add(event.guard);
    if (!event.mbarrier) continue;
    for (const std::optional<Expr>& operand :
         {event.mbarrier->count, event.mbarrier->tx, event.mbarrier->token, event.mbarrier->parity,
          event.mbarrier->seen}) {
      if (operand) add(*operand);
    }
  }
  std::set<std::uint32_t> found;
  for (const std::uint32_t d : barrier_decisions(graph)) found.insert(d);
  // Guards of decisions mention earlier decisions only, so one pass backwards closes the set.
  for (std::uint32_t d = static_cast<std::uint32_t>(graph.decisions.size()); d-- > 0;) {
    if (!wanted.contains(graph.decisions[d].condition)) continue;
    found.insert(d);
    const auto more = leaves(graph.exprs, graph.decisions[d].guard);
    wanted.insert(more.begin(), more.end());
  }
  return {found.begin(), found.end()};
}

std::string describe(SyncMisuse misuse) {
  switch (misuse) {
    case SyncMisuse::invalid_object:
      return "the mbarrier object has been invalidated";
    case SyncMisuse::live_object:
      return "the mbarrier object is in use, and not invalidated";
    case SyncMisuse::pending_underflow:
      return "more arrivals than the phase has pending";
    case SyncMisuse::pending_overflow:
      return "more pending arrivals than an mbarrier object counts";
    case SyncMisuse::tx_overflow:
      return "a tx-count outside of -(2^20-1) to 2^20-1";
    case SyncMisuse::no_expected:
      return "drops more arrivals than are expected";
    case SyncMisuse::completes:
      return "a .noComplete completes the phase";
    case SyncMisuse::old_phase:
      return "a wait for a phase that is neither the current one nor the one before";
    case SyncMisuse::wrong_state:
      return "a wait on a value that is no state of this mbarrier object";
    case SyncMisuse::wrong_parity:
      return "a phase parity other than 0 and 1";
    case SyncMisuse::arrives_twice:
      return "arrives at the cluster barrier twice without a wait between";
    case SyncMisuse::no_count:
      return "a thread count that is no positive multiple of 32";
    case SyncMisuse::counts_differ:
      return "another thread count than that of the arrivals before it";
    case SyncMisuse::arrives_again:
      return "arrives again at a barrier that is not complete yet";
    case SyncMisuse::kinds_differ:
      return "barrier.red and another kind of barrier operation in one phase";
  }
  return "";
}

}  // namespace ptxmc::event

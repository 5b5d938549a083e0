// SPDX-License-Identifier: Apache-2.0
// The phase machine on mbarrier objects, cluster barriers and completion signals.
#include <doctest/doctest.h>

#include <random>
#include <set>

#include "axiomatic/event/sync_machine.h"
#include "axiomatic/event/sync_state.h"
#include "build_sync.h"
#include "ptx/rules/limits.h"
#include "support/diagnostic.h"

namespace ptxmc::event {
namespace {

using relation::BitMatrix;
using Pairs = std::set<std::pair<std::size_t, std::size_t>>;

Pairs pairs(const BitMatrix& matrix) {
  Pairs result;
  matrix.for_each([&](std::size_t a, std::size_t b) { result.emplace(a, b); });
  return result;
}

std::optional<SyncMisuse> only_misuse(const BuildSync& b) {
  const Assignment path(b.graph.decisions.size(), Truth::unset);
  const auto phases = phase_alternatives(b.graph, path).values;
  REQUIRE(phases.size() == 1);
  const auto misuse = phase_misuse(b.graph, path, phases.front());
  return misuse ? std::optional(misuse->second) : std::nullopt;
}

TEST_CASE("a phase is complete when its arrivals are there") {
  BuildSync b;
  const auto t0 = b.thread(), t1 = b.thread();
  b.initialised(8, 2);
  const auto x = b.arrive_on(t0, 8), y = b.arrive_on(t1, 8);
  const auto w = b.wait_parity(t1, 8, 0);
  const auto phases = b.phases();
  REQUIRE(phases.size() == 1);
  CHECK(pairs(phases[0]) == Pairs{{x, w}, {y, w}});
}

TEST_CASE("a phase that never completes: no execution") {
  BuildSync b;
  const auto t0 = b.thread();
  b.initialised(8, 2);
  b.arrive_on(t0, 8), b.wait_parity(t0, 8, 0);
  CHECK(b.phases().empty());
}

TEST_CASE("parity 1 of a fresh object is the phase before the first") {
  BuildSync b;
  const auto t0 = b.thread();
  b.initialised(8, 1);
  b.wait_parity(t0, 8, 1);
  const auto phases = b.phases();
  REQUIRE(phases.size() == 1);
  CHECK(phases[0].empty());
}

TEST_CASE("a wait for a parity sees the phase before the current one, whichever that is") {
  BuildSync b;
  const auto t0 = b.thread(), t1 = b.thread();
  b.initialised(8, 1);
  std::vector<EventId> arrivals;
  for (int i = 0; i < 3; ++i) arrivals.push_back(b.arrive_on(t0, 8));
  const auto w = b.wait_parity(t1, 8, 0);
  std::set<Pairs> found;
  for (const BitMatrix& phase : b.phases()) found.insert(pairs(phase));
  CHECK(found == std::set<Pairs>{{{arrivals[0], w}}, {{arrivals[2], w}}});
}

TEST_CASE("a state names the phase of its arrival") {
  BuildSync b;
  const auto t0 = b.thread(), t1 = b.thread();
  b.initialised(8, 2);
  const auto x = b.arrive_on(t0, 8), y = b.arrive_on(t1, 8);
  const auto w = b.wait_state(t0, 8, arrival_state(x));
  const auto phases = b.phases();
  REQUIRE(phases.size() == 1);
  CHECK(pairs(phases[0]) == Pairs{{x, w}, {y, w}});
}

TEST_CASE("arrive_drop lowers what later phases expect") {
  BuildSync b;
  const auto t0 = b.thread(), t1 = b.thread();
  b.initialised(8, 2);
  const auto x = b.drop(t0, 8), y = b.arrive_on(t1, 8);
  const auto w = b.wait_parity(t1, 8, 0);
  const auto z = b.arrive_on(t1, 8);
  const auto v = b.wait_parity(t1, 8, 1);
  const auto phases = b.phases();
  REQUIRE(phases.size() == 1);
  CHECK(pairs(phases[0]) == Pairs{{x, w}, {y, w}, {z, v}});
}

TEST_CASE("transactions: the tx-count may be negative for a while, and a signal belongs to its phase") {
  for (const bool expect_first : {true, false}) {
    BuildSync b;
    const auto t0 = b.thread(), t1 = b.thread();
    b.initialised(8, 1);
    EventId arrival = kNoEvent;
    if (expect_first) arrival = b.arrive_on(t0, 8, 1, 16);
    const auto issue = b.issue(t0);
    if (!expect_first) arrival = b.arrive_on(t0, 8, 1, 16);
    const auto signal = b.signal(issue, 8, std::nullopt, 16);
    const auto w = b.wait_parity(t1, 8, 0);
    const auto phases = b.phases();
    REQUIRE(phases.size() == 1);
    CHECK(pairs(phases[0]) == Pairs{{arrival, w}, {signal, w}});
  }
}

TEST_CASE("an arrival without its expect-tx does not wait for the signal") {
  BuildSync b;
  const auto t0 = b.thread(), t1 = b.thread();
  b.initialised(8, 1);
  const auto arrival = b.arrive_on(t0, 8);
  const auto issue = b.issue(t0);
  b.signal(issue, 8, std::nullopt, 16);
  const auto w = b.wait_parity(t1, 8, 0);
  const auto phases = b.phases();
  REQUIRE(phases.size() == 1);
  CHECK(pairs(phases[0]) == Pairs{{arrival, w}});
}

TEST_CASE("cp.async.mbarrier.arrive without .noinc: the issue adds the arrival that the signal takes") {
  for (const bool increments : {true, false}) {
    BuildSync b;
    const auto t0 = b.thread();
    b.initialised(8, 1);
    const auto issue = b.issue(t0);
    const auto arrival = b.arrive_on(t0, 8);
    const auto signal = b.signal(issue, 8, 1, std::nullopt, increments);
    const auto w = b.wait_parity(t0, 8, 0);
    std::set<Pairs> found;
    for (const BitMatrix& phase : b.phases()) found.insert(pairs(phase));
    // With .noinc each of the two completes a phase of its own, and the wait must not miss the first.
    if (increments) CHECK(found == std::set<Pairs>{{{arrival, w}, {signal, w}}});
    if (!increments) CHECK(found == std::set<Pairs>{{{arrival, w}}});
  }
}

TEST_CASE("the cluster barrier: arrive and wait apart, phase by phase") {
  BuildSync b;
  const auto t0 = b.thread(0, 0, 0), t1 = b.thread(1, 0, 0);
  const auto a0 = b.cluster_arrive(t0), w0 = b.cluster_wait(t0);
  const auto a1 = b.cluster_arrive(t0), w1 = b.cluster_wait(t0);
  const auto b0 = b.cluster_arrive(t1), v0 = b.cluster_wait(t1);
  const auto b1 = b.cluster_arrive(t1), v1 = b.cluster_wait(t1);
  const auto phases = b.phases();
  REQUIRE(phases.size() == 1);
  CHECK(pairs(phases[0]) ==
        Pairs{{a0, w0}, {b0, w0}, {a0, v0}, {b0, v0}, {a1, w1}, {b1, w1}, {a1, v1}, {b1, v1}});
}

TEST_CASE("the cluster barrier does not wait for threads that have exited, nor for other clusters") {
  BuildSync b;
  const auto t0 = b.thread(0, 0, 0);
  b.thread(1, 0, 0);
  const auto t2 = b.thread(2, 0, 1);
  const auto a = b.cluster_arrive(t0), w = b.cluster_wait(t0);
  const auto c = b.cluster_arrive(t2), v = b.cluster_wait(t2);
  const auto phases = b.phases();
  REQUIRE(phases.size() == 1);
  CHECK(pairs(phases[0]) == Pairs{{a, w}, {c, v}});
}

TEST_CASE("misuse ends a run") {
  const auto check = [](SyncMisuse expected, auto&& build) {
    BuildSync b;
    const auto t = b.thread();
    b.initialised(8, 1);
    build(b, t);
    CHECK(only_misuse(b) == expected);
  };
  check(SyncMisuse::invalid_object,
        [](BuildSync& b, ThreadId t) { b.mbarrier(t, MbarrierOp::inval, 8), b.arrive_on(t, 8); });
  check(SyncMisuse::live_object, [](BuildSync& b, ThreadId t) { b.mbarrier(t, MbarrierOp::init, 8, 1); });
  check(SyncMisuse::pending_underflow, [](BuildSync& b, ThreadId t) { b.arrive_on(t, 8, 2); });
  check(SyncMisuse::tx_overflow, [](BuildSync& b, ThreadId t) {
    b.mbarrier(t, MbarrierOp::complete_tx, 8, std::nullopt, rules::kLargestMbarrierCount);
    b.mbarrier(t, MbarrierOp::complete_tx, 8, std::nullopt, 1);
  });
  check(SyncMisuse::completes,
        [](BuildSync& b, ThreadId t) { b.graph.events[b.arrive_on(t, 8)].mbarrier->no_complete = true; });
  check(SyncMisuse::old_phase, [](BuildSync& b, ThreadId t) {
    const auto first = b.arrive_on(t, 8);
    b.arrive_on(t, 8);
    b.wait_state(t, 8, arrival_state(first));
  });
  check(SyncMisuse::wrong_state, [](BuildSync& b, ThreadId t) { b.wait_state(t, 8, 5); });
  check(SyncMisuse::wrong_parity, [](BuildSync& b, ThreadId t) { b.wait_parity(t, 8, 2); });
  check(SyncMisuse::arrives_twice, [](BuildSync& b, ThreadId t) {
    b.thread(0, 0, 0);
    b.cluster_arrive(t), b.cluster_arrive(t);
  });
}

TEST_CASE("arrivals of one phase name one thread count, and none means all threads") {
  const auto found = [](std::optional<Value> one, std::optional<Value> other) {
    BuildSync b;
    const auto t0 = b.thread(), t1 = b.thread();
    b.sync(t0, 0, one), b.sync(t1, 0, other);
    return only_misuse(b);
  };
  CHECK(found(2, 2) == std::nullopt);
  CHECK(found(2, std::nullopt) == std::nullopt);
  BuildSync b;
  const auto t0 = b.thread(), t1 = b.thread();
  const auto x = b.sync(t0, 0, 2), y = b.sync(t1, 0, 3);
  std::set<std::pair<EventId, SyncMisuse>> misused;
  for (const BitMatrix& phase : b.phases()) misused.insert(*phase_misuse(b.graph, {}, phase));
  CHECK(misused == std::set<std::pair<EventId, SyncMisuse>>{{x, SyncMisuse::counts_differ},
                                                            {y, SyncMisuse::counts_differ}});
}

TEST_CASE("a test_wait fails only while its phase is incomplete") {
  for (const bool before : {true, false}) {
    BuildSync b;
    const auto t = b.thread();
    b.initialised(8, 1);
    if (before) b.test_failed(t, 8, 0);
    b.arrive_on(t, 8);
    if (!before) b.test_failed(t, 8, 0);
    CHECK(b.phases().size() == (before ? 1 : 0));
  }
}

TEST_CASE("what cannot be listed as a whole is listed in part") {
  BuildSync b;
  b.initialised(8, 1);
  for (int t = 0; t < 10; ++t) {
    const auto thread = b.thread();
    for (int k = 0; k < 3; ++k) b.arrive_on(thread, 8);
  }
  const auto waiter = b.thread();
  for (int k = 0; k < 4; ++k) b.wait_parity(waiter, 8, k % 2);
  const auto [values, complete] = phase_alternatives(b.graph, {});
  CHECK(!complete);
  CHECK(!values.empty());
  CHECK(values.size() <= kMaxPhaseAlternatives);
}

TEST_CASE("a ring of four stages, two consumers, three rounds: one way, one state a step") {
  BuildSync b;
  const auto producer = b.thread();
  const ThreadId consumers[] = {b.thread(), b.thread()};
  for (Value s = 0; s < 4; ++s) b.initialised(8 + 16 * s, 1), b.initialised(16 + 16 * s, 2);
  for (Value n = 0; n < 12; ++n) {
    const Value s = n % 4, round = n / 4;
    b.wait_parity(producer, 16 + 16 * s, (round + 1) % 2);
    b.arrive_on(producer, 8 + 16 * s, 1, 4);
    b.signal(b.issue(producer), 8 + 16 * s, std::nullopt, 4);
    for (const ThreadId t : consumers) {
      b.wait_parity(t, 8 + 16 * s, round % 2);
      b.arrive_on(t, 16 + 16 * s);
    }
  }
  const auto phases = b.phases();
  REQUIRE(phases.size() == 1);
  CHECK(phases[0].count() == 12 * 2 * 2 + 8 * 2);
}

/// All interleavings, one by one.
class Exhaustive {
 public:
  explicit Exhaustive(const ProgramGraph& graph) {
    path_ = *sync_path(graph, {});
    std::vector<SyncProcess> processes;
    for (ThreadId t = 0; t < graph.threads.size(); ++t) processes.push_back({t, {}});
    for (OperationId o = 0; o < path_.operations.size(); ++o) {
      const SyncOperation& op = path_.operations[o];
      if (op.issued != kNoOperation) {
        processes.push_back({kNoThread, {o}});
      } else {
        processes[op.thread].program.push_back(o);
      }
    }
    const SyncSystem system(path_, processes);
    visit(system, system.start(), {});
  }
  std::set<Pairs> found;

 private:
  void visit(const SyncSystem& system, const SyncState& state, const Pairs& so_far) {
    if (!seen_.emplace(state, so_far).second) return;
    if (system.finished(state)) found.insert(so_far);
    for (std::size_t p = 0; p < system.processes().size(); ++p) {
      if (!system.enabled(state, p)) continue;
      SyncState after = state;
      const SyncStep step = system.step(after, p);
      Pairs more = so_far;
      for (const auto& [members, wait] : step.observed) {
        for (const OperationId member : system.members(members))
          more.emplace(path_.operations[member].event, wait);
      }
      if (step.misuse) {
        misused = true;
      } else if (!step.impossible) {
        visit(system, after, more);
      }
    }
  }

 public:
  bool misused = false;

 private:
  SyncPath path_;
  std::set<std::pair<SyncState, Pairs>> seen_;
};

TEST_CASE("steps that commute are tried in one order only, and nothing is lost") {
  std::mt19937 random(7);
  const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  int executions = 0;
  for (int round = 0; round < 800; ++round) {
    BuildSync b;
    const int threads = 2 + pick(2);
    for (int t = 0; t < threads; ++t) b.thread(static_cast<std::uint32_t>(pick(2)), 0, 0);
    b.initialised(8, 1 + pick(2)), b.initialised(16, 1);
    for (int t = 0; t < threads; ++t) {
      const auto thread = static_cast<ThreadId>(t);
      bool arrived = false;
      for (int k = 2 + pick(3); k > 0; --k) {
        const Value object = 8 + 8 * pick(2);
        switch (pick(9)) {
          case 0:
            b.wait_parity(thread, object, pick(2));
            break;
          case 1:
            b.mbarrier(thread, MbarrierOp::expect_tx, object, std::nullopt, 4);
            break;
          case 2:
            b.mbarrier(thread, MbarrierOp::complete_tx, object, std::nullopt, 4);
            break;
          case 3:
            b.signal(b.issue(thread), object, pick(2) ? std::optional<Value>(1) : std::nullopt, 4,
                     pick(2) != 0);
            break;
          case 4:
            b.sync(thread, 0);
            break;
          case 5:
            arrived ? b.cluster_wait(thread) : b.cluster_arrive(thread);
            arrived = !arrived;
            break;
          case 6:
            b.drop(thread, object);
            break;
          case 7:
            b.wait_state(thread, object, arrival_state(b.arrive_on(thread, object)));
            break;
          default:
            b.arrive_on(thread, object);
        }
      }
    }
    const Exhaustive all(b.graph);
    std::set<Pairs> found;
    bool misused = false;
    for (const BitMatrix& phase : b.phases()) {
      if (phase_misuse(b.graph, {}, phase)) {
        misused = true;
      } else {
        found.insert(pairs(phase));
      }
    }
    CAPTURE(round);
    CHECK(found == all.found);
    // With nobody stuck the rest of the program does not hide a misuse.
    if (!all.found.empty()) CHECK(misused == all.misused);
    executions += static_cast<int>(found.size());
  }
  CHECK(executions > 200);
}

}  // namespace
}  // namespace ptxmc::event

// SPDX-License-Identifier: Apache-2.0
// The phase machine takes one step alone where that loses nothing. Random programs of everything that acts on
// a synchronization object, with and without: the same phases, the same hangs, the same misuse.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <set>

#include "axiomatic/event/sync_machine.h"
#include "axiomatic/event/sync_runs.h"
#include "build_sync.h"
#include "ptx/rules/limits.h"
#include "support/budget.h"

namespace ptxmc::event {
namespace {

using Pairs = std::set<std::pair<std::size_t, std::size_t>>;

struct Runs {
  std::set<Pairs> phases;          // of runs without misuse
  std::set<std::size_t> misusers;  // events that end a run
};

Runs runs(const ProgramGraph& graph, SyncReductions reductions) {
  const auto [values, complete] = phase_alternatives(graph, {}, reductions);
  REQUIRE(complete);
  Runs found;
  for (const relation::BitMatrix& phase : values) {
    Pairs pairs;
    bool misused = false;
    phase.for_each([&](std::size_t a, std::size_t b) {
      const auto& object = graph.events[a].mbarrier;
      pairs.emplace(a, b);
      if (a != b && !(object && object->op == MbarrierOp::inval)) return;
      found.misusers.insert(b);
      misused = true;
    });
    if (!misused) found.phases.insert(std::move(pairs));
  }
  return found;
}

class RandomProgram {
 public:
  RandomProgram(std::uint32_t seed, bool hangs) : random_(seed), hangs_(hangs) {
    const int threads = 2 + pick(2);
    for (int t = 0; t < threads; ++t) b_.thread(pick(4) == 0 ? 1 : 0, 0, 0);
    for (Value object = 8; object <= 8 + 8 * pick(2); object += 8) {
      b_.initialised(object, 1 + pick(3));
      objects_.push_back(object);
    }
    kinds_ = pick(5);
    for (int t = 0; t < threads; ++t) write_thread(static_cast<ThreadId>(t));
  }

  ProgramGraph& graph() { return b_.graph; }

 private:
  int pick(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  Value object() { return objects_[static_cast<std::size_t>(pick(static_cast<int>(objects_.size())))]; }
  Value bytes() {
    return pick(40) == 0 ? rules::kLargestMbarrierCount - 4 : 4 * (pick(6) == 0 ? 0 : 1 + pick(2));
  }

  void write_thread(ThreadId t) {
    bool arrived = false;
    for (int k = 1 + pick(4); k > 0; --k) write_operation(t, arrived);
    if (!hangs_) return;
    Event end = b_.make(EventKind::end, t, isa::Semantics::weak, isa::Scope::none);
    end.guard = b_.graph.exprs.truth(true);
    if (pick(2) != 0) {
      end.mbarrier = b_.graph.events[b_.wait_parity(t, object(), pick(2))].mbarrier;
      b_.graph.events.pop_back();
    }
    const bool waits = end.mbarrier.has_value();
    const EventId e = b_.add(std::move(end));
    if (waits) b_.graph.hangs.push_back({Hang::Kind::phase, t, e, b_.graph.exprs.truth(true), {}, {}});
  }

  /// Some programs are of transactions alone, or of barriers too, or of everything, or of two bars alone.
  void write_operation(ThreadId t, bool& arrived) {
    if (kinds_ == 4) {
      const Value bar = 1 + pick(2), count = pick(8) == 0 ? 3 : 2;
      pick(2) ? b_.sync(t, bar, count) : b_.arrive(t, bar, count);
      return;
    }
    switch (pick(kinds_ == 0 ? 6 : kinds_ == 1 ? 8 : 16)) {
      case 0:
        b_.wait_parity(t, object(), pick(2));
        break;
      case 1:
        b_.arrive_on(t, object(), 1 + (pick(5) == 0), bytes());
        break;
      case 2:
        b_.mbarrier(t, MbarrierOp::complete_tx, object(), std::nullopt, bytes());
        break;
      case 3:
        b_.mbarrier(t, MbarrierOp::expect_tx, object(), std::nullopt, bytes());
        break;
      case 4:
        b_.signal(b_.issue(t), object(), pick(3) ? std::nullopt : std::optional<Value>(1), bytes());
        break;
      case 5:
        b_.arrive_on(t, object());
        break;
      case 6:
        b_.sync(t, 0);
        break;
      case 7:
        b_.wait_state(t, object(), arrival_state(b_.arrive_on(t, object())));
        break;
      case 8:
        b_.drop(t, object());
        break;
      case 9:
        arrived ? b_.cluster_wait(t) : b_.cluster_arrive(t);
        arrived = !arrived;
        break;
      case 10:
        b_.mbarrier(t, MbarrierOp::inval, object());
        break;
      case 11:
        b_.mbarrier(t, MbarrierOp::init, object(), 1 + pick(2));
        break;
      case 12:
        b_.graph.events[b_.arrive_on(t, object())].mbarrier->no_complete = true;
        break;
      case 13:
        b_.test_failed(t, object(), pick(2));
        break;
      case 14:
        b_.signal(b_.issue(t), object(), 1, std::nullopt, true);
        break;
      default:
        pick(2) ? b_.sync(t, 1, 1 + pick(3)) : b_.arrive(t, 1, 1 + pick(3));
    }
  }

  std::mt19937 random_;
  bool hangs_;
  int kinds_ = 0;
  std::vector<Value> objects_;
  BuildSync b_;
};

TEST_CASE("steps that are taken alone lose no phase, no hang and no misuse") {
  int executions = 0, stuck = 0;
  for (std::uint32_t seed = 0; seed < 3000; ++seed) {
    for (const bool hangs : {false, true}) {
      RandomProgram program(seed, hangs);
      const Runs reduced = runs(program.graph(), SyncReductions::all);
      const Runs all = runs(program.graph(), SyncReductions::none);
      CAPTURE(seed);
      CAPTURE(hangs);
      CHECK(reduced.phases == all.phases);
      // With nobody stuck the rest of the program does not hide a misuse.
      if (!all.phases.empty()) CHECK(reduced.misusers == all.misusers);
      executions += static_cast<int>(all.phases.size());
      stuck += hangs && !program.graph().hangs.empty() && !all.phases.empty();
    }
  }
  CHECK(executions > 1000);
  CHECK(stuck > 200);
}

TEST_CASE("who always passes, passes without reductions, too") {
  int pass = 0, stay = 0;
  for (std::uint32_t seed = 0; seed < 3000; ++seed) {
    RandomProgram program(seed, false);
    const auto all_pass = [&](SyncReductions reductions) {
      const std::vector<bool> threads = always_pass(program.graph(), {}, {}, reductions);
      return std::find(threads.begin(), threads.end(), false) == threads.end();
    };
    CAPTURE(seed);
    const bool reduced = all_pass(SyncReductions::all);
    CHECK(reduced == all_pass(SyncReductions::none));
    ++(reduced ? pass : stay);
  }
  CHECK(pass > 50);
  CHECK(stay > 1000);
}

TEST_CASE("a budget that is spent stops the phase machine") {
  RandomProgram program(1, false);
  const Budget spent(-1.0);
  CHECK_THROWS_AS(phase_alternatives(program.graph(), {}, SyncReductions::all, spent), OutOfTime);
  CHECK_THROWS_AS(always_pass(program.graph(), {}, spent), OutOfTime);
}

TEST_CASE("transactions that complete early may leave a phase open for ever") {
  // The arrival expects 4 bytes; two completions of 4 bytes come from elsewhere, before it or behind it.
  const auto build = [](bool stuck, bool signals) {
    BuildSync b;
    const ThreadId threads[] = {b.thread(), b.thread(), b.thread()};
    b.initialised(8, 1);
    b.arrive_on(threads[0], 8, 1, 4);
    const EventId wait = b.wait_parity(threads[0], 8, 0);
    for (const ThreadId t : {threads[1], threads[2]}) {
      if (signals) {
        b.signal(b.issue(t), 8, std::nullopt, 4);
      } else {
        b.mbarrier(t, MbarrierOp::complete_tx, 8, std::nullopt, 4);
      }
    }
    if (stuck) {
      b.graph.events[wait].kind = EventKind::end;
      b.graph.hangs.push_back({Hang::Kind::phase, threads[0], wait, b.graph.exprs.truth(true), {}, {}});
    }
    return b.phases().size();
  };
  for (const bool signals : {false, true}) {
    CHECK(build(false, signals) >= 1);
    CHECK(build(true, signals) == 1);
  }
}

}  // namespace
}  // namespace ptxmc::event

// SPDX-License-Identifier: Apache-2.0
// The naive simulator of barriers against the phase machine: it accepts what the machine lists, and of other
// mixtures of it nothing.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "../event/build_sync.h"
#include "axiomatic/event/sync_machine.h"
#include "axiomatic/recheck/naive_phases.h"

namespace ptxmc::check {
namespace {

using event::EventId;
using event::ThreadId;
using event::Value;
using relation::BitMatrix;

event::Execution execution_of(const event::ProgramGraph& graph) {
  event::Execution x;
  x.exists = relation::BitSet(graph.size());
  x.exists.set_all();
  x.values.assign(graph.slot_count(), 0);
  x.reads_from.assign(graph.slot_count(), event::kNoEvent);
  return x;
}

bool accepted(const event::ProgramGraph& graph, const BitMatrix& phase) {
  const event::Execution x = execution_of(graph);
  NaiveValues values(graph, x);
  return judge_phases(graph, x, phase, values).empty();
}

TEST_CASE("the simulator accepts the machine's phases, and rejects mixtures that are none of them") {
  std::mt19937 random(11);
  const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  int accepts = 0, rejects = 0;
  for (int round = 0; round < 600; ++round) {
    event::BuildSync b;
    const int threads = 2 + pick(2);
    for (int t = 0; t < threads; ++t) b.thread(static_cast<std::uint32_t>(pick(2)), 0, 0);
    b.initialised(8, 1 + pick(2)), b.initialised(16, 1);
    for (int t = 0; t < threads; ++t) {
      const auto thread = static_cast<ThreadId>(t);
      bool arrived = false;
      for (int k = 2 + pick(3); k > 0; --k) {
        const Value object = 8 + 8 * pick(2);
        switch (pick(8)) {
          case 0:
          case 1:
            b.wait_parity(thread, object, pick(2));
            break;
          case 2:
            b.mbarrier(thread, pick(2) != 0 ? event::MbarrierOp::expect_tx : event::MbarrierOp::complete_tx,
                       object, std::nullopt, 4);
            break;
          case 3:
            b.signal(b.issue(thread), object, std::nullopt, 4);
            break;
          case 4:
            b.sync(thread, 0);
            break;
          case 5:
            arrived ? b.cluster_wait(thread) : b.cluster_arrive(thread);
            arrived = !arrived;
            break;
          case 6:
            b.wait_state(thread, object, event::arrival_state(b.arrive_on(thread, object)));
            break;
          default:
            b.arrive_on(thread, object);
        }
      }
    }
    const auto phases = b.phases();
    CAPTURE(round);
    for (const BitMatrix& phase : phases) {
      CHECK(accepted(b.graph, phase));
      ++accepts;
    }
    // A run that misuses an object may end anywhere; how far the others have come is of no interest.
    const bool misused = std::any_of(phases.begin(), phases.end(), [&](const BitMatrix& phase) {
      return event::phase_misuse(b.graph, {}, phase).has_value();
    });
    if (misused) continue;
    // A wait observes what it observes elsewhere, or all but one of the arrivals.
    for (const BitMatrix& phase : phases) {
      for (EventId wait = 0; wait < b.graph.size(); ++wait) {
        BitMatrix other = phase;
        const BitMatrix& donor = phases[static_cast<std::size_t>(pick(static_cast<int>(phases.size())))];
        bool dropped = pick(2) != 0;
        for (EventId e = 0; e < b.graph.size(); ++e) {
          if (dropped && phase.test(e, wait)) {
            other.reset(e, wait);
            break;
          }
          if (dropped) continue;
          other.reset(e, wait);
          if (donor.test(e, wait)) other.set(e, wait);
        }
        const bool listed = std::find(phases.begin(), phases.end(), other) != phases.end();
        CHECK(accepted(b.graph, other) == listed);
        rejects += !listed;
      }
    }
  }
  CHECK(accepts > 200);
  CHECK(rejects > 200);
}

}  // namespace
}  // namespace ptxmc::check

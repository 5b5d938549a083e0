// SPDX-License-Identifier: Apache-2.0
// Barriers that never complete: which arrivals may block for ever.
#include <doctest/doctest.h>

#include "axiomatic/event/barriers.h"
#include "build.h"

namespace ptxmc::event {
namespace {

/// The wait of a sync never happens: its thread blocks, and does not end.
void block(Build& b, EventId arrival) {
  const ThreadId thread = b.graph.events[arrival].thread;
  b.graph.events[arrival + 1].guard = b.graph.exprs.truth(false);
  b.graph.hangs.push_back({Hang::Kind::barrier, thread, arrival, b.graph.exprs.truth(true), {}, {}});
}

/// The thread comes to its end; without one, in a graph with hangs, it does not.
void end(Build& b, ThreadId thread) {
  Event e;
  e.kind = EventKind::end;
  e.thread = thread;
  e.guard = b.graph.exprs.truth(true);
  b.graph.events.push_back(e);
}

TEST_CASE("a barrier that lacks an arrival blocks, and no other way is left") {
  Build b;
  const auto t0 = b.thread();
  const auto t1 = b.thread();
  const auto x = b.sync(t0, 0, 2);
  end(b, t1);
  block(b, x);
  REQUIRE(b.phases().size() == 1);
  CHECK(b.phases()[0].empty());
  CHECK(b.quorums().size() == 1);
}

TEST_CASE("a barrier that is full does not block") {
  Build b;
  const auto t0 = b.thread(), t1 = b.thread();
  const auto x = b.sync(t0, 0, 2), y = b.sync(t1, 0, 2);
  block(b, x), block(b, y);
  CHECK(b.phases().empty());
  CHECK(b.quorums().empty());
}

TEST_CASE("one of three blocks at a barrier for two") {
  Build b;
  const auto t0 = b.thread(), t1 = b.thread(), t2 = b.thread();
  const auto x = b.sync(t0, 0, 2);
  b.sync(t1, 0, 2), b.sync(t2, 0, 2);
  end(b, t1), end(b, t2);
  block(b, x);
  CHECK(b.phases().size() == 1);
  CHECK(b.quorums().empty());  // two other arrivals are enough for everybody
}

TEST_CASE("without a count: an ended thread is not waited for, one that never ends is") {
  Build ended;
  const auto t0 = ended.thread(), t1 = ended.thread();
  const auto x = ended.sync(t0, 0);
  end(ended, t1);
  block(ended, x);
  CHECK(ended.phases().empty());

  Build spins;
  const auto u0 = spins.thread();
  spins.thread();
  const auto y = spins.sync(u0, 0);
  block(spins, y);
  CHECK(spins.phases().size() == 1);
}

TEST_CASE("crossed barriers: both block") {
  Build b;
  const auto t0 = b.thread(), t1 = b.thread();
  const auto x = b.sync(t0, 0, 2), y = b.sync(t1, 1, 2);
  block(b, x), block(b, y);
  CHECK(b.phases().size() == 1);
  CHECK(b.quorums().size() == 1);
}

TEST_CASE("the mark of a thread that spins is no end") {
  Build b;
  const auto t0 = b.thread();
  end(b, t0);
  const auto mark = static_cast<EventId>(b.graph.size() - 1);
  CHECK(is_thread_end(b.graph, mark));
  b.graph.hangs.push_back({Hang::Kind::spin, t0, mark, b.graph.exprs.truth(true), {}, {}});
  CHECK(!is_thread_end(b.graph, mark));
}

}  // namespace
}  // namespace ptxmc::event

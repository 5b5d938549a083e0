// SPDX-License-Identifier: Apache-2.0
// The phase machine and the quorums: which arrivals meet which waits.
#include <doctest/doctest.h>

#include "build.h"
#include "support/diagnostic.h"

namespace ptxmc::event {
namespace {

using relation::BitMatrix;

/// The wait of a sync.
EventId wait(EventId arrival) {
  return arrival + 1;
}

TEST_CASE("a full barrier: every arrival to every wait") {
  Build b;
  const auto t0 = b.thread(), t1 = b.thread();
  const auto x = b.sync(t0, 0), y = b.sync(t1, 0);
  const auto phases = b.phases();
  REQUIRE(phases.size() == 1);
  for (const EventId a : {x, y}) {
    for (const EventId w : {wait(x), wait(y)}) CHECK(phases[0].test(a, w));
  }
  CHECK(phases[0].count() == 4);
}

TEST_CASE("phases of a reused barrier do not mix") {
  Build b;
  const auto t0 = b.thread(), t1 = b.thread();
  const auto x1 = b.sync(t0, 0), x2 = b.sync(t0, 0);
  const auto y1 = b.sync(t1, 0), y2 = b.sync(t1, 0);
  const auto phases = b.phases();
  REQUIRE(phases.size() == 1);
  CHECK(phases[0].test(x1, wait(y1)));
  CHECK(phases[0].test(y2, wait(x2)));
  CHECK(!phases[0].test(x1, wait(y2)));
  CHECK(!phases[0].test(y2, wait(x1)));
}

TEST_CASE("barriers of other CTAs and other ids are other barriers") {
  Build b;
  const auto t0 = b.thread(0), t1 = b.thread(1);
  const auto x = b.sync(t0, 0), y = b.sync(t1, 0);
  auto phases = b.phases();
  REQUIRE(phases.size() == 1);
  CHECK(!phases[0].test(x, wait(y)));

  Build other;
  const auto u0 = other.thread(), u1 = other.thread();
  other.sync(u0, 0), other.sync(u1, 1);
  phases = other.phases();
  CHECK(phases.empty());  // each waits for the other, which never arrives there
}

TEST_CASE("crossed barriers hang: no execution") {
  Build b;
  const auto t0 = b.thread(), t1 = b.thread();
  b.sync(t0, 0, 2), b.sync(t0, 1, 2);
  b.sync(t1, 1, 2), b.sync(t1, 0, 2);
  CHECK(b.phases().empty());
}

TEST_CASE("a count that is never reached hangs; one that an exited thread would fill hangs too") {
  Build b;
  const auto t0 = b.thread();
  b.thread();
  b.sync(t0, 0, 2);
  CHECK(b.phases().empty());
}

TEST_CASE("without a count, exited threads count as arrived (R180)") {
  Build b;
  const auto t0 = b.thread(), t1 = b.thread();
  b.thread();  // has no barrier at all
  const auto x1 = b.sync(t0, 0), x2 = b.sync(t0, 0);
  const auto y1 = b.sync(t1, 0);
  const auto phases = b.phases();
  REQUIRE(phases.size() == 1);
  CHECK(phases[0].test(y1, wait(x1)));
  CHECK(!phases[0].test(y1, wait(x2)));
  CHECK(phases[0].test(x2, wait(x2)));
}

TEST_CASE("an arrive does not wait, and orders one way only") {
  Build b;
  const auto t0 = b.thread(), t1 = b.thread();
  const auto a = b.arrive(t0, 1, 2);
  const auto s = b.sync(t1, 1, 2);
  const auto phases = b.phases();
  REQUIRE(phases.size() == 1);
  CHECK(phases[0].test(a, wait(s)));
  CHECK(phases[0].count() == 2);  // and the sync's own arrival
}

TEST_CASE("more arrivals than the count needs: every admissible choice") {
  Build b;
  const auto t0 = b.thread(), t1 = b.thread(), t2 = b.thread();
  const auto a = b.arrive(t0, 0, 2), c = b.arrive(t1, 0, 2);
  const auto s = b.sync(t2, 0, 2);
  const auto phases = b.phases();
  // a+s and c left over; c+s and a left over. a+c alone would leave s waiting: a hang.
  REQUIRE(phases.size() == 2);
  int with_a = 0, with_c = 0;
  for (const BitMatrix& m : phases) {
    CHECK(m.test(a, wait(s)) != m.test(c, wait(s)));
    with_a += m.test(a, wait(s));
    with_c += m.test(c, wait(s));
  }
  CHECK(with_a == 1);
  CHECK(with_c == 1);
}

TEST_CASE("three pairwise syncs of count 2: one thread is left waiting, in every run") {
  Build b;
  for (int i = 0; i < 3; ++i) b.sync(b.thread(), 0, 2);
  CHECK(b.phases().empty());
}

TEST_CASE("four syncs of count 2: three pairings") {
  Build b;
  for (int i = 0; i < 4; ++i) b.sync(b.thread(), 0, 2);
  CHECK(b.phases().size() == 3);
}

TEST_CASE("the interleaving of all barriers decides, not each barrier alone") {
  Build b;
  const auto t0 = b.thread(), t1 = b.thread();
  // t0's second arrival on 0 comes after both met on 1, so it cannot fill the phase that t1 waited for
  // before.
  const auto a1 = b.arrive(t0, 0, 2);
  b.sync(t0, 1, 2);
  const auto a2 = b.arrive(t0, 0, 2);
  const auto s = b.sync(t1, 0, 2);
  b.sync(t1, 1, 2);
  const auto phases = b.phases();
  REQUIRE(phases.size() == 1);
  CHECK(phases[0].test(a1, wait(s)));
  CHECK(!phases[0].test(a2, wait(s)));
}

TEST_CASE("the short form: who names the barrier takes part") {
  Build b;
  const auto t0 = b.thread(), t1 = b.thread();
  const auto x = b.sync(t0, 0, std::nullopt, true), y = b.sync(t1, 0, std::nullopt, true);
  b.thread();  // does not name it
  auto phases = b.phases();
  REQUIRE(phases.size() == 1);
  CHECK(phases[0].test(x, wait(y)));

  Build other;
  const auto u0 = other.thread(), u1 = other.thread();
  const auto p = other.sync(u0, 0, std::nullopt, true), q = other.sync(u1, 0, std::nullopt, true);
  other.graph.events[q].barrier->instance = 7;
  other.graph.events[wait(q)].barrier->instance = 7;
  phases = other.phases();
  REQUIRE(phases.size() == 1);
  CHECK(!phases[0].test(p, wait(q)));
}

TEST_CASE("lockstep does not explode") {
  for (const bool counted : {false, true}) {
    Build b;
    for (int t = 0; t < 32; ++t) {
      const auto thread = b.thread();
      for (int k = 0; k < 8; ++k) {
        b.sync(thread, k % 2, counted ? std::optional<Value>(32) : std::nullopt);
      }
    }
    CHECK(b.phases().size() == 1);
  }
}

TEST_CASE("too many ways to meet are some of them, not an endless run") {
  Build b;
  for (int t = 0; t < 16; ++t) b.sync(b.thread(), 0, 2);
  for (const char* name : {"phase", "quorum"}) {
    const auto some = alternatives(b.graph, *base_signature().find(name), {});
    CHECK(!some.complete);
    CHECK(!some.values.empty());
  }
}

TEST_CASE("decisions choose which barriers are one, and who arrives") {
  Build b;
  const auto c = b.cell();
  const auto t0 = b.thread(), t1 = b.thread();
  const auto r = b.read(t0, c);
  const auto x = b.sync(t0, 0, 2);
  const auto y = b.sync(t1, 1, 2);
  auto& pool = b.graph.exprs;
  const Expr id = pool.make(Op::zero_extend, 64, pool.value_of(r, 32));
  b.graph.events[x].barrier->id = b.graph.events[wait(x)].barrier->id = id;
  const Expr unrelated = pool.make(Op::eq, 1, pool.value_of(r, 32), pool.constant(9, 32));
  b.graph.decisions.push_back({t0, unrelated, pool.truth(true)});
  b.graph.decisions.push_back({t0, pool.make(Op::eq, 1, id, pool.constant(1, 64)), pool.truth(true)});

  CHECK(relevant_decisions(b.graph, *base_signature().find("phase")) == std::vector<std::uint32_t>{1});
  const auto same = b.phases({Truth::unset, Truth::yes});
  REQUIRE(same.size() == 1);
  CHECK(same[0].test(x, wait(y)));
  CHECK(b.phases({Truth::unset, Truth::no}).empty());
}

TEST_CASE("contradictory decisions on ids have no execution") {
  Build b;
  const auto c = b.cell();
  const auto t0 = b.thread(), t1 = b.thread(), t2 = b.thread();
  const auto r = b.read(t0, c), s = b.read(t0, c);
  auto& pool = b.graph.exprs;
  const Expr i = pool.value_of(r, 32), j = pool.value_of(s, 32), k = pool.constant(3, 32);
  const auto x = b.arrive(t0, 0, 3), y = b.arrive(t1, 0, 3), z = b.arrive(t2, 0, 3);
  b.graph.events[x].barrier->id = i;
  b.graph.events[y].barrier->id = j;
  b.graph.events[z].barrier->id = k;
  for (const auto& [m, n] : {std::pair{i, j}, {i, k}, {j, k}}) {
    b.graph.decisions.push_back({t0, pool.make(Op::eq, 1, m, n), pool.truth(true)});
  }
  CHECK(b.phases({Truth::yes, Truth::yes, Truth::yes}).size() == 1);
  CHECK(b.phases({Truth::yes, Truth::yes, Truth::no}).empty());
}

TEST_CASE("a barrier under a false guard is not there") {
  Build b;
  const auto c = b.cell();
  const auto t0 = b.thread(), t1 = b.thread();
  const auto r = b.read(t0, c);
  auto& pool = b.graph.exprs;
  const Expr condition = pool.make(Op::eq, 1, pool.value_of(r, 32), pool.constant(1, 32));
  const auto x = b.sync(t0, 0, 2);
  b.sync(t1, 0, 2);
  b.graph.events[x].guard = b.graph.events[wait(x)].guard = condition;
  b.graph.decisions.push_back({t0, condition, pool.truth(true)});
  CHECK(b.phases({Truth::yes}).size() == 1);
  CHECK(b.phases({Truth::no}).empty());
}

TEST_CASE("quorum: a counted wait follows count - 1 arrivals of others, one way") {
  Build b;
  const auto t0 = b.thread(), t1 = b.thread(), t2 = b.thread();
  const auto x = b.sync(t0, 0, 2);
  b.sync(t1, 0, 2), b.sync(t2, 0, 2);
  const auto quorums = b.quorums();
  CHECK(quorums.size() == 8);
  for (const BitMatrix& m : quorums) {
    CHECK(m.count() == 3);
    CHECK(!m.test(x, wait(x)));
  }
}

TEST_CASE("quorum: without a count all others; too few others are no execution; an arrive waits for nobody") {
  Build b;
  const auto t0 = b.thread(), t1 = b.thread(), t2 = b.thread();
  const auto x = b.sync(t0, 0), y = b.arrive(t1, 0), z = b.arrive(t2, 0);
  const auto quorums = b.quorums();
  REQUIRE(quorums.size() == 1);
  CHECK(quorums[0].test(y, wait(x)));
  CHECK(quorums[0].test(z, wait(x)));
  CHECK(quorums[0].count() == 2);

  Build few;
  const auto u0 = few.thread(), u1 = few.thread();
  few.sync(u0, 0, 3), few.sync(u1, 0, 3);
  CHECK(few.quorums().empty());
}

}  // namespace
}  // namespace ptxmc::event

// SPDX-License-Identifier: Apache-2.0
// What barriers of threads order, and an arrival at a phase that may not be over.
#include <doctest/doctest.h>

#include "scenario.h"

namespace ptxmc::testing {

TEST_CASE("barriers order all that meet, and nobody else (9.7.12.1)") {
  Scenario s({0, 0, 0});
  s.write(s.thread(0), kX);
  s.write(s.thread(1), kY);
  s.bar({0, 1});
  s.read(s.thread(0), kY);
  s.read(s.thread(1), kX);
  CHECK(s.found().empty());
  s.read(s.thread(2), kX);
  CHECK(s.found() == Rules{"race"});
}

TEST_CASE("bar.warp.sync orders lanes; exchanges do not (D22)") {
  const auto lanes = [](int kind) {
    Scenario s({0});
    s.write(s.thread(0, 3), kX);
    if (kind == 1) s.detector.warp_sync(9, {0, ~std::uint32_t{0}});
    if (kind == 2) s.detector.exchange(9, {0, ~std::uint32_t{0}});
    s.read(s.thread(0, 0), kX);
    return s.found();
  };
  CHECK(lanes(0) == Rules{"race"});
  CHECK(lanes(1).empty());
  CHECK(lanes(2) == Rules{"warp-exchange"});
}

TEST_CASE("an order by exchanges is handed on as such") {
  Scenario s({0, 0});
  s.write(s.thread(0, 3), kX);
  s.detector.exchange(9, {0, ~std::uint32_t{0}});
  s.bar({0, 1});  // lane 0 of each
  s.read(s.thread(1), kX);
  CHECK(s.found() == Rules{"warp-exchange"});
}

TEST_CASE("barrier.cluster: relaxed ends need fences (9.7.12.3)") {
  const auto cluster = [](Semantics arrive, Semantics leave, bool fences) {
    Scenario s({0, 1});
    s.write(s.thread(0), kX);
    if (fences) s.fence(s.thread(0), Semantics::acq_rel, Scope::cluster);
    for (unsigned w = 0; w < 2; ++w) s.detector.cluster_arrive(5, {w, 1}, {0, 0}, 0, arrive);
    for (unsigned w = 0; w < 2; ++w) s.detector.cluster_leave(6, {w, 1}, {0, 0}, 0, leave);
    if (fences) s.fence(s.thread(1), Semantics::acq_rel, Scope::cluster);
    s.read(s.thread(1), kX);
    return s.found();
  };
  CHECK(cluster(Semantics::release, Semantics::acquire, false).empty());
  CHECK(cluster(Semantics::relaxed, Semantics::acquire, false) == Rules{"race"});
  CHECK(cluster(Semantics::release, Semantics::relaxed, false) == Rules{"missing-acquire"});
  CHECK(cluster(Semantics::relaxed, Semantics::relaxed, true).empty());
}

TEST_CASE("an arrival that may count to the phase before is a reuse of its barrier (R175)") {
  const auto twice = [](bool ordered) {
    Scenario s({0, 0, 0});
    const auto meet = [&](unsigned a, unsigned b, Phase phase) {
      for (const unsigned w : {a, b}) s.detector.barrier_arrive(++s.line, {w, 1}, {0, 1}, phase);
      for (const unsigned w : {a, b}) s.detector.barrier_leave(s.line, {w, 1}, {0, 1}, phase);
    };
    meet(0, 1, 0);
    if (ordered) s.bar({0, 1, 2});
    meet(1, 2, 1);
    return s.found();
  };
  CHECK(twice(true).empty());
  CHECK(twice(false) == Rules{"barrier-reuse"});
}

TEST_CASE(
    "whoever has an answer that can only come after a barrier's phase may arrive again, be it relaxed "
    "(R175)") {
  enum class Answer { none, relaxed, bytes, copies, cluster };
  const auto twice = [](Answer answer) {
    Scenario s({0, 0});
    s.detector.mbarrier_init(++s.line, s.thread(0), kObject, 1);
    s.detector.mbarrier_init_fence(++s.line, lane_of(s.thread(0)));
    s.bar({0, 1});
    const auto phase = [&](Phase number) {  // warp 0 arrives, warp 1 waits
      for (const unsigned w : {0U, 1U}) s.detector.barrier_arrive(++s.line, {w, 1}, {0, 1}, number);
      s.detector.barrier_leave(s.line, {1, 1}, {0, 1}, number);
    };
    phase(0);
    constexpr Strength kRelaxed = strong(Semantics::relaxed, Scope::cta);
    if (answer == Answer::relaxed) s.arrive(s.thread(1), kObject, 0, kRelaxed);
    if (answer == Answer::bytes) s.load(s.thread(1), kX, kShared, kObject, 0);
    if (answer == Answer::copies) s.detector.cp_async_arrive({++s.line, s.thread(1), kObject, 0, {}, 1});
    if (answer == Answer::cluster) {
      for (const unsigned w : {0U, 1U})
        s.detector.cluster_arrive(++s.line, {w, 1}, {0, 0}, 0, Semantics::relaxed);
      for (const unsigned w : {0U, 1U})
        s.detector.cluster_leave(++s.line, {w, 1}, {0, 0}, 0, Semantics::relaxed);
    } else if (answer != Answer::none) {
      s.complete(kObject, 0);
      s.wait(s.thread(0), kObject, 0, kRelaxed);
    }
    phase(1);
    return s.found();
  };
  CHECK(twice(Answer::none) == Rules{"barrier-reuse"});
  CHECK(twice(Answer::relaxed).empty());
  CHECK(twice(Answer::bytes).empty());
  CHECK(twice(Answer::copies).empty());
  CHECK(twice(Answer::cluster).empty());
}

}  // namespace ptxmc::testing

// SPDX-License-Identifier: Apache-2.0
// What tasks that start one after another know of each other, and of loops that waited.
#include <doctest/doctest.h>

#include <array>

#include "scenario.h"

namespace ptxmc::testing {

TEST_CASE("a task knows all that the one before did (R232)") {
  const auto tasks = [](std::uint32_t second, bool exits) {
    const std::array<Placement, 2> places{{{0, 0, 0, 0}, {1, 1, 0, second}}};
    Scenario s(places, false);
    s.write(s.thread(0), kX);
    s.store(s.thread(0), kShared, kY);
    s.exit(0);
    constexpr std::array<std::uint32_t, 1> kFirst{0};
    if (exits) s.detector.start_behind(lane_of(s.thread(1)), kFirst);
    s.read(s.thread(1), kX);
    s.read(s.thread(1), kY);
    Rules found = s.found();
    found.erase("exit-in-flight-read");
    return found;
  };
  CHECK(tasks(1, true).empty());
  CHECK(tasks(1, false) == Rules{"race"});
}

TEST_CASE("a grid that starts after the ends of others, and has not waited for them (R233)") {
  enum class Waits { never, second, both };
  const auto chain = [](Waits waits, bool reads_first) {
    const std::array<Placement, 3> places{{{0, 0, 0, 0}, {1, 1, 0, 1}, {2, 2, 0, 2}}};
    Scenario s(places, false);
    constexpr std::array<std::uint32_t, 1> kFirst{0}, kSecond{1};
    s.write(s.thread(0), kX);
    s.exit(0);
    s.detector.start_after_end(lane_of(s.thread(1)), kFirst);
    if (waits == Waits::both) s.detector.grid_wait(++s.line, lane_of(s.thread(1)), kFirst);
    s.write(s.thread(1), kY);
    s.exit(1);
    s.detector.start_after_end(lane_of(s.thread(2)), kSecond);
    if (waits != Waits::never) s.detector.grid_wait(++s.line, lane_of(s.thread(2)), kSecond);
    s.read(s.thread(2), reads_first ? kX : kY);
    return s.found();
  };
  CHECK(chain(Waits::never, false) == Rules{"before-grid-wait"});
  CHECK(chain(Waits::second, false).empty());
  CHECK(chain(Waits::never, true) == Rules{"before-grid-wait"});
  CHECK(chain(Waits::second, true) == Rules{"before-grid-wait"});  // nothing waited for the first
  CHECK(chain(Waits::both, true).empty());
}

TEST_CASE(
    "strong accesses of two kernels that overlap, of which one decides, have more orders than the run") {
  constexpr Strength kRelaxed = strong(Semantics::relaxed);
  enum class Starts { early, after_end };
  const auto left_open = [&](bool waits, bool decides, Starts starts = Starts::early) {
    const std::array<Placement, 2> places{{{0, 0, 0, 0}, {1, 1, 0, 1}}};
    Scenario s(places, false);
    constexpr std::array<std::uint32_t, 1> kFirst{0};
    const auto update = [&](Thread thread) {
      s.access(Effect::update, thread, kX, kRelaxed, Proxy::generic, 4, 0, decides);
    };
    s.detector.launch_dependents(++s.line, lane_of(s.thread(0)));
    update(s.thread(0));
    s.exit(0);
    if (starts == Starts::early) {
      s.detector.start_early(lane_of(s.thread(1)), kFirst);
    } else {
      s.detector.start_after_end(lane_of(s.thread(1)), kFirst);
    }
    if (waits) s.detector.grid_wait(++s.line, lane_of(s.thread(1)), kFirst);
    update(s.thread(1));
    CHECK(s.found().empty());
    return s.detector.left_open().kernels;
  };
  CHECK(left_open(false, true));
  CHECK_FALSE(left_open(true, true));
  CHECK_FALSE(left_open(false, false));
  CHECK_FALSE(left_open(false, true, Starts::after_end));
}

TEST_CASE("an update behind others in no order carries on what these left; a write does not (8.9.6)") {
  constexpr Strength kRelaxed = strong(Semantics::relaxed);
  const auto unsettled = [&](Effect last) {
    Scenario s({0, 0});
    s.update(s.thread(0), kX, kRelaxed);
    s.update(s.thread(1), kX, kRelaxed);
    s.bar({0, 1});
    s.access(last, s.thread(0), kX, kRelaxed);
    return s.detector.is_unsettled({kX, 4});
  };
  CHECK(unsettled(Effect::read));
  CHECK(unsettled(Effect::update));
  CHECK_FALSE(unsettled(Effect::write));
}

TEST_CASE("a later task may overwrite what loops of an earlier one waited for: they were left") {
  const auto overwritten = [](bool after) {
    const std::array<Placement, 2> places{{{0, 0, 0, 0}, {1, 1, 0, 1}}};
    Scenario s(places, false);
    const Await await{++s.line, s.thread(0), Effect::read, kX};
    s.detector.await_left(await);
    constexpr std::array<std::uint32_t, 1> kFirst{0};
    if (after) s.detector.start_behind(lane_of(s.thread(1)), kFirst);
    s.detector.awaited_gone(await, ++s.line, s.thread(1), {kX, 4});
    s.detector.finish();
    return s.found();
  };
  CHECK(overwritten(true).empty());
  CHECK(overwritten(false) == Rules{"hang"});
}

TEST_CASE(
    "whoever has waited for the phase that a copy's arrival completes knows that its thread left its loop "
    "(8.9.6)") {
  Scenario s({0, 0});
  s.detector.mbarrier_init(++s.line, s.thread(0), kObject, 1);
  s.detector.mbarrier_init_fence(++s.line, lane_of(s.thread(0)));
  s.bar({0, 1});
  const Await await{++s.line, s.thread(0), Effect::read, kX};
  s.detector.await_left(await);
  s.copy(s.thread(0), kY, kShared);
  s.detector.cp_async_arrive({++s.line, s.thread(0), kObject, 0, {}, 1});
  s.complete(kObject, 0);
  s.wait(s.thread(1), kObject, 0);
  s.detector.awaited_gone(await, ++s.line, s.thread(1), {kX, 4});
  s.detector.finish();
  CHECK(s.found().empty());
}

TEST_CASE(
    "what a loop waits for may be overwritten before it is read, unless whoever does so knows that it was "
    "(8.9.6)") {
  constexpr Strength kRelaxed = strong(Semantics::relaxed);
  const auto reset = [&](bool replies, bool again) {
    Scenario s({0, 1});
    const Await await{++s.line, s.thread(0), Effect::read, kX};
    s.write(s.thread(1), kX, kRelaxed);
    s.read(s.thread(0), kX, kRelaxed);
    s.detector.await_left(await);
    if (replies) s.write(s.thread(0), kY, kRelaxed);
    s.read(s.thread(1), kY, kRelaxed);
    s.write(s.thread(1), kX, kRelaxed);
    s.detector.awaited_gone(await, s.line, s.thread(1), {kX, 4});
    if (again) s.detector.awaited_back(await);
    s.detector.finish();
    return s.found();
  };
  CHECK(reset(false, false) == Rules{"hang"});
  CHECK(reset(true, false).empty());
  CHECK(reset(false, true).empty());
}

}  // namespace ptxmc::testing

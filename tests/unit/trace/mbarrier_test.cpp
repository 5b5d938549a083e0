// SPDX-License-Identifier: Apache-2.0
// mbarrier objects: inits, arrivals, phases and waits, each with what flips it.
#include <doctest/doctest.h>

#include "with_object.h"

namespace ptxmc::testing {

TEST_CASE("completion is of no thread: a .cta wait takes it in every CTA") {
  WithObject s(true, 1);
  s.load(s.thread(0), kX, kShared, kObject, 0);
  s.arrive(s.thread(0), kObject, 0);
  s.complete(kObject, 0);
  s.wait(s.thread(1), kObject, 0);
  s.read(s.thread(1), kShared);
  CHECK(s.found().empty());
}

TEST_CASE("a wait gains what every schedule gives it, not what this run had reached") {
  WithObject s;
  s.write(s.thread(0), kX);
  s.arrive(s.thread(0), kObject, 0);
  s.complete(kObject, 0);
  s.wait(s.thread(0), kObject, 0);
  s.write(s.thread(0), kY);
  s.arrive(s.thread(0), kObject, 1);
  s.complete(kObject, 1);
  s.wait(s.thread(0), kObject, 1);
  s.arrive(s.thread(0), kObject, 2);
  s.complete(kObject, 2);
  s.wait(s.thread(1), kObject, 0);  // three are complete; one is what it knows
  s.read(s.thread(1), kX);
  CHECK(s.found() == Rules{"wait-overtaken"});
  s.read(s.thread(1), kY);
  CHECK(s.found() == Rules{"race", "wait-overtaken"});
}

TEST_CASE("whoever knows of all arrivals of a phase knows that it is over, unless bytes are to come") {
  // Thread 0 ends phase 0, and its wait for the other parity is one for the end of phase 1.
  const auto waited = [](unsigned first, bool bytes, bool meet) {
    WithObject s;
    s.detector.mbarrier_arrive(
        {++s.line, s.thread(first), kObject, 0, strong(Semantics::release, Scope::cta), 1, bytes ? 16 : 0});
    if (bytes) s.load(s.thread(first), kX, kShared, kObject, 0);
    s.complete(kObject, 0);
    if (meet) s.bar({0, 1});
    s.wait(s.thread(1), kObject, 0);
    s.write(s.thread(1), kX);
    s.arrive(s.thread(1), kObject, 1);
    s.complete(kObject, 1);
    s.wait(s.thread(0), kObject, 1);
    s.write(s.thread(0), kX);
    return s.found();
  };
  CHECK(waited(0, false, false).empty());
  CHECK(waited(1, false, true).empty());
  CHECK(waited(1, false, false).contains("race"));
  CHECK(waited(0, true, false).contains("race"));
}

TEST_CASE("a wait for a phase that is known to be over is a stale poll") {
  WithObject s;
  s.arrive(s.thread(0), kObject, 0);
  s.complete(kObject, 0);
  s.wait(s.thread(1), kObject, 0);
  CHECK(s.found(true).empty());
  s.wait(s.thread(1), kObject, 0);
  CHECK(s.found(true) == Rules{"stale-poll"});
}

TEST_CASE("what a phase releases is acquired by a second wait, where the first was relaxed") {
  const auto second = [](Strength strength) {
    WithObject s;
    s.load(s.thread(0), kX, kShared, kObject, 0);
    s.arrive(s.thread(0), kObject, 0);
    s.complete(kObject, 0);
    s.wait(s.thread(1), kObject, 0, kRelaxedCta);
    s.wait(s.thread(1), kObject, 0, strength);
    s.read(s.thread(1), kShared);
    return s.found();
  };
  CHECK(second(strong(Semantics::acquire, Scope::cta)).empty());
  CHECK(second(kRelaxedCta) == Rules{"missing-acquire"});
}

TEST_CASE("the end of a phase tells nothing of copies in the phases before it") {
  // Thread 1 waits for three phases, the second of which has bytes or not, and reads what a copy of the first wrote.
  const auto next = [](bool bytes, Strength first, Strength last = kAcquireCta) {
    WithObject s;
    s.load(s.thread(0), kX, kShared, kObject, 0);
    s.arrive(s.thread(0), kObject, 0);
    s.complete(kObject, 0);
    s.wait(s.thread(1), kObject, 0, first);
    if (bytes) s.load(s.thread(0), kX, kShared + 64, kObject, 1);
    s.arrive(s.thread(1), kObject, 1);
    s.complete(kObject, 1);
    s.wait(s.thread(1), kObject, 1);
    s.load(s.thread(0), kX, kShared + 128, kObject, 2);
    s.arrive(s.thread(1), kObject, 2);
    s.complete(kObject, 2);
    s.wait(s.thread(1), kObject, 2, last);
    s.read(s.thread(1), kShared + (last == kAcquireCta ? 0 : 64));
    return s.found();
  };
  for (const bool bytes : {false, true}) {
    CHECK(next(bytes, kAcquireCta).empty());
    CHECK(next(bytes, kRelaxedCta) == Rules{"missing-acquire"});
  }
  CHECK(next(true, kRelaxedCta, kRelaxedCta).empty());
}

TEST_CASE("phases that one knows and phases that another knows are put together") {
  const auto met = [](bool between) {
    WithObject s;
    for (Phase phase = 0; phase < 3; ++phase) {
      s.load(s.thread(0), kX, kShared + 16 * phase, kObject, phase);
      s.arrive(s.thread(0), kObject, phase);
      s.complete(kObject, phase);
      s.wait(s.thread(0), kObject, phase, phase == 1 && between ? kAcquireCta : kRelaxedCta);
      s.wait(s.thread(1), kObject, phase, phase == 1 ? kRelaxedCta : kAcquireCta);
    }
    s.bar({0, 1});
    for (Phase phase = 0; phase < 3; ++phase) s.read(s.thread(0), kShared + 16 * phase);
    return s.found().contains("missing-acquire");
  };
  CHECK_FALSE(met(true));
  CHECK(met(false));
}

TEST_CASE("arrivals and waits of an object: releases, acquires, scopes, fences (9.7.12.15)") {
  const auto handed = [](Strength arrive, Strength wait, bool fences, std::uint32_t cta) {
    Scenario s({0, cta});
    s.write(s.thread(0), kX);
    if (fences) s.fence(s.thread(0));
    s.arrive(s.thread(0), kObject, 0, arrive);
    s.complete(kObject, 0);
    s.wait(s.thread(1), kObject, 0, wait);
    if (fences) s.fence(s.thread(1));
    s.read(s.thread(1), kX);
    return s.found();
  };
  const Strength release = strong(Semantics::release, Scope::cta),
                 acquire = strong(Semantics::acquire, Scope::cta);
  CHECK(handed(release, acquire, false, 0).empty());
  CHECK(handed(release, acquire, false, 1) == Rules{"scope-too-narrow"});
  CHECK(
      handed(strong(Semantics::release, Scope::cluster), strong(Semantics::acquire, Scope::cluster), false, 1)
          .empty());
  CHECK(handed(kRelaxedCta, kRelaxedCta, false, 0) == Rules{"race"});
  CHECK(handed(kRelaxedCta, kRelaxedCta, true, 0).empty());
  // A wait that acquires at too narrow a scope leaves the rest to a fence behind it.
  CHECK(handed(release, acquire, true, 1).empty());
}

TEST_CASE("an arrival that nothing orders behind the phase before it makes the phase doubtful") {
  const auto again = [](bool waits) {
    WithObject s;
    s.arrive(s.thread(0), kObject, 0);
    s.complete(kObject, 0);
    if (waits) s.wait(s.thread(1), kObject, 0);
    s.arrive(s.thread(1), kObject, 1);
    return s.found(true);
  };
  CHECK(again(true).empty());
  CHECK(again(false) == Rules{"phase-not-confluent"});
}

TEST_CASE("an init is visible to what comes behind it, and published to the async proxy (R185, R193)") {
  Scenario unordered({0, 0});
  unordered.detector.mbarrier_init(++unordered.line, 0, kObject, 1);
  unordered.arrive(unordered.thread(1), kObject, 0);
  CHECK(unordered.found() == Rules{"mbarrier-uninitialised"});
  for (const bool fence : {false, true}) {
    WithObject s(fence, 0, false);
    s.load(s.thread(1), kX, kShared, kObject, 0);
    CHECK(s.found() == (fence ? Rules{} : Rules{"mbarrier-init-unfenced"}));
  }
  WithObject signals_generic(false);  // reading init-visible
  signals_generic.load(signals_generic.thread(1), kX, kShared, kObject, 0);
  CHECK(signals_generic.found().empty());
  WithObject proxy(false, 0, false);
  proxy.proxy_fence(proxy.thread(0));  // behind the barrier: the other thread does not know
  proxy.load(proxy.thread(1), kX, kShared, kObject, 0);
  CHECK(proxy.found() == Rules{"mbarrier-init-unfenced"});
}

TEST_CASE("the bytes of a live object are its own (R194)") {
  WithObject s;
  s.read(s.thread(1), kObject + 4);
  CHECK(s.found() == Rules{"mbarrier-misuse"});
  WithObject over;
  over.detector.mbarrier_invalidate(++over.line, over.thread(0), kObject);
  over.bar({0, 1});
  over.write(over.thread(1), kObject);
  CHECK(over.found().empty());
}

TEST_CASE("an object is used by nobody when it is invalidated (R193)") {
  const auto found = [](bool waits, bool meet, bool copies) {
    WithObject s;
    if (copies) s.load(s.thread(0), kX, kShared, kObject, 0);
    s.arrive(s.thread(1), kObject, 0);
    s.complete(kObject, 0);
    if (waits) s.wait(s.thread(1), kObject, 0);
    s.wait(s.thread(0), kObject, 0);
    if (meet) s.bar({0, 1});
    s.detector.mbarrier_invalidate(++s.line, s.thread(0), kObject);
    return s.found();
  };
  CHECK(found(true, true, false).empty());
  CHECK(found(false, false, false).empty());  // that all have arrived is known of the phase
  CHECK(found(true, false, false) == Rules{"mbarrier-invalidated"});
  CHECK(found(false, true, true).empty());
  WithObject flying;
  flying.load(flying.thread(0), kX, kShared, kObject, 0);
  flying.detector.mbarrier_invalidate(++flying.line, flying.thread(0), kObject);
  CHECK(flying.found() == Rules{"mbarrier-invalidated"});
}

TEST_CASE("a wait that the end of the next phase may overtake") {
  // Thread 1 waits for phase 0; thread 0 ends phase 1, behind an arrival of thread 1 at it, or behind nothing of it.
  const auto overtaken = [](bool arrives, bool late) {
    WithObject s;
    s.arrive(s.thread(0), kObject, 0);
    s.complete(kObject, 0);
    s.wait(s.thread(0), kObject, 0);
    if (!late) s.wait(s.thread(1), kObject, 0);
    if (arrives) s.bar({0, 1});
    s.arrive(s.thread(0), kObject, 1);
    s.complete(kObject, 1);
    if (late) s.wait(s.thread(1), kObject, 0);
    return s.found();
  };
  CHECK(overtaken(true, false).empty());
  CHECK(overtaken(false, false) == Rules{"wait-overtaken"});
  CHECK(overtaken(false, true) == Rules{"wait-overtaken"});
}

TEST_CASE("a wait that may be overtaken is alone if no other wait for its phase comes before the next end") {
  const auto is_alone = [](bool other_waits) {
    WithObject s;
    s.arrive(s.thread(0), kObject, 0);
    s.complete(kObject, 0);
    if (other_waits) s.wait(s.thread(0), kObject, 0);
    s.wait(s.thread(1), kObject, 0);
    s.arrive(s.thread(0), kObject, 1);
    s.complete(kObject, 1);
    const auto& all = s.detector.findings();
    const auto found = std::find_if(all.begin(), all.end(), [](const Finding& finding) {
      return finding.rule == RuleId::wait_overtaken;
    });
    return found != all.end() && found->alone;
  };
  CHECK(is_alone(false));
  CHECK_FALSE(is_alone(true));
}

TEST_CASE("a phase that ends without the bytes of a copy tells nothing of it") {
  const auto read = [](bool slips) {
    WithObject s;
    s.load(s.thread(0), kX, kShared, kObject, 0);
    s.arrive(s.thread(0), kObject, 0);
    if (slips) s.detector.mbarrier_slip(kObject, 0);
    s.complete(kObject, 0);
    s.wait(s.thread(1), kObject, 0);
    s.read(s.thread(1), kShared);
    return s.found();
  };
  CHECK(read(false).empty());
  CHECK(read(true) == Rules{"race"});
}

TEST_CASE("a wait is over for whoever its lane has met, by an exchange of values, and whoever that tells") {
  // Two lanes of warp 1 wait. One of them issues a copy; whoever knows that it is complete ends the next phase.
  constexpr Address kOther = kObject + 8;
  const auto found = [](bool elects) {
    WithObject s;
    s.detector.mbarrier_init(++s.line, s.thread(0), kOther, 1);
    s.detector.mbarrier_init_fence(++s.line, lane_of(s.thread(0)));
    s.bar({0, 1});
    s.detector.barrier_arrive(++s.line, {1, 2}, {0, 1}, 0);
    s.detector.barrier_arrive(s.line, {0, 1}, {0, 1}, 0);
    s.detector.barrier_leave(s.line, {1, 2}, {0, 1}, 0);
    s.arrive(s.thread(0), kObject, 0);
    s.complete(kObject, 0);
    s.detector.mbarrier_wait({++s.line, {1, 3}, kObject, true, 0, kAcquireCta, true});
    if (elects) s.detector.exchange(++s.line, {1, 3});
    s.load(s.thread(1), kX, kShared, kOther, 0);
    s.complete(kOther, 0);
    s.wait(s.thread(0), kOther, 0);
    s.arrive(s.thread(0), kObject, 1);
    s.complete(kObject, 1);
    return s.found();
  };
  CHECK(found(true).empty());
  CHECK(found(false) == Rules{"wait-overtaken"});
}

TEST_CASE("whoever has exchanged values with a lane that waited knows how many phases are over") {
  const auto read = [](bool exchanges) {
    WithObject s;
    s.bar({0, 1});
    s.arrive(s.thread(0), kObject, 0);
    s.complete(kObject, 0);
    s.write(s.thread(0), kX);
    s.arrive(s.thread(0), kObject, 1);
    s.complete(kObject, 1);
    // One lane waits twice and acquires nothing; another takes a parity, by which it waits for the same phase, or for none.
    const Strength relaxed = strong(Semantics::relaxed, Scope::cta);
    s.detector.mbarrier_wait({++s.line, {1, 1}, kObject, true, 0, relaxed, true});
    s.detector.mbarrier_wait({++s.line, {1, 1}, kObject, true, 1, relaxed, true});
    if (exchanges) s.detector.exchange(++s.line, {1, 3});
    s.detector.mbarrier_wait({++s.line, {1, 2}, kObject, true, 1, kAcquireCta, true});
    s.read(s.thread(1, 1), kX);
    return s.found();
  };
  CHECK_FALSE(read(true).contains("race"));  // phases may overtake the waits, whose turn they do not wait for
  CHECK(read(false).contains("race"));
}

TEST_CASE("a state of a phase before the preceding one is none to wait for (R217)") {
  const auto waited = [](bool again) {
    WithObject s;
    for (Phase phase = 0; phase < (again ? 2U : 1U); ++phase) {
      s.arrive(s.thread(0), kObject, phase);
      s.complete(kObject, phase);
    }
    s.detector.mbarrier_wait(
        {++s.line, lane_of(s.thread(0)), kObject, false, 0, strong(Semantics::acquire, Scope::cta), true});
    return s.found();
  };
  CHECK(waited(false).empty());
  CHECK(waited(true) == Rules{"wait-overtaken"});
}

TEST_CASE("an arrival with .noComplete needs another one behind it (R207)") {
  const auto found = [](bool meet) {
    WithObject s;
    s.detector.mbarrier_arrive(
        {++s.line, s.thread(0), kObject, 0, strong(Semantics::release, Scope::cta), 1, 0, false, true});
    if (meet) s.bar({0, 1});
    s.arrive(s.thread(1), kObject, 0);
    s.complete(kObject, 0);
    return s.found();
  };
  CHECK(found(true).empty());
  CHECK(found(false) == Rules{"mbarrier-no-complete"});
}

}  // namespace ptxmc::testing

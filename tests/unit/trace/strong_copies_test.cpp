// SPDX-License-Identifier: Apache-2.0
// Strong accesses of asynchronous operations (8.6.1), and the patterns that they are part of (8.8).
#include <doctest/doctest.h>

#include <array>

#include "scenario.h"

namespace ptxmc::testing {
namespace {

constexpr std::uint8_t kPiece = 16;

Options with(void (*change)(trace::Readings& readings)) {
  Options out = together();
  change(out.readings);
  return out;
}

Operation copy(Scenario& s, Thread t, std::span<const Range> reads, std::span<const Range> writes,
               Strength strength) {
  Operation out;
  out.site = ++s.line;
  out.issuer = t;
  out.reads = reads;
  out.writes = writes;
  out.strength = strength;
  if (strength.semantics != Semantics::weak) out.element = kPiece;
  return out;
}

void store(Scenario& s, Thread t, Address from, Address to, Strength strength) {
  const std::array<Range, 1> reads{{{from, kPiece}}}, writes{{{to, kPiece}}};
  Operation told = copy(s, t, reads, writes, strength);
  told.tracking = Tracking::bulk_group;
  s.detector.issue(told);
  s.detector.commit_group(s.line, t, Tracking::bulk_group);
}

void load(Scenario& s, Thread t, Address from, Address to, Strength strength) {
  const std::array<Range, 1> reads{{{from, kPiece}}}, writes{{{to, kPiece}}};
  Operation told = copy(s, t, reads, writes, strength);
  told.object = kObject;
  s.detector.issue(told);
}

void flag(Scenario& s, Effect effect, Thread t, Strength strength) {
  s.access(effect, t, kY, strength, Proxy::generic, kPiece);
}

void keep(trace::Readings&) {}

/// Thread 0 writes and stores a flag in bulk, thread 1 reads the flag and what was written.
Rules released(Semantics fence, Strength of_copy, Strength of_read, void (*change)(trace::Readings&) = keep) {
  Scenario s({0, 2}, with(change));
  s.write(s.thread(0), kX);
  s.fence(s.thread(0), fence, Scope::gpu);
  store(s, s.thread(0), kShared, kY, of_copy);
  flag(s, Effect::read, s.thread(1), of_read);
  s.read(s.thread(1), kX);
  return s.found();
}

/// Thread 1 writes and releases a flag, thread 0 loads it in bulk, waits for that and reads what was written.
Rules acquired(Strength of_write, Strength of_copy, Semantics fence, bool waits,
               void (*change)(trace::Readings&) = keep) {
  Scenario s({0, 2}, with(change));
  s.write(s.thread(1), kX);
  flag(s, Effect::write, s.thread(1), of_write);
  load(s, s.thread(0), kY, kShared, of_copy);
  s.complete(kObject, 0);
  if (waits) s.wait(s.thread(0), kObject, 0, strong(Semantics::relaxed, Scope::cta));
  s.fence(s.thread(0), fence, Scope::gpu);
  s.read(s.thread(0), kX);
  return s.found();
}

const Strength kRelaxed = strong(Semantics::relaxed), kAcquire = strong(Semantics::acquire),
               kRelease = strong(Semantics::release);
const Rules kRace{"race"};

}  // namespace

TEST_CASE("a release fence, then a strong copy: what is read across proxies is observed (8.6.1, 8.8)") {
  CHECK(released(Semantics::release, kRelaxed, kAcquire).empty());
  CHECK(released(Semantics::acq_rel, kRelaxed, kAcquire).empty());
  CHECK(!released(Semantics::acquire, kRelaxed, kAcquire).empty());
  CHECK(!released(Semantics::release, kRelaxed, kRelaxed).empty());
  CHECK(!released(Semantics::release, kWeak, kAcquire).empty());
  CHECK(!released(Semantics::release, kRelaxed, strong(Semantics::acquire, Scope::cluster)).empty());
  const auto none = [](trace::Readings& readings) { readings.async_patterns = false; };
  const auto one_proxy = [](trace::Readings& readings) { readings.patterns_cross = false; };
  CHECK(!released(Semantics::release, kRelaxed, kAcquire, none).empty());
  CHECK(!released(Semantics::release, kRelaxed, kAcquire, one_proxy).empty());
}

TEST_CASE("a strong copy, what observes that it is complete, and an acquire fence (8.8)") {
  CHECK(acquired(kRelease, kRelaxed, Semantics::acquire, true).empty());
  CHECK(!acquired(kRelease, kRelaxed, Semantics::acquire, false).empty());
  CHECK(!acquired(kRelease, kRelaxed, Semantics::release, true).empty());
  CHECK(!acquired(kRelease, kWeak, Semantics::acquire, true).empty());
  CHECK(!acquired(kRelaxed, kRelaxed, Semantics::acquire, true).empty());
  const auto none = [](trace::Readings& readings) { readings.async_patterns = false; };
  const auto one_proxy = [](trace::Readings& readings) { readings.patterns_cross = false; };
  CHECK(!acquired(kRelease, kRelaxed, Semantics::acquire, true, none).empty());
  CHECK(!acquired(kRelease, kRelaxed, Semantics::acquire, true, one_proxy).empty());
}

TEST_CASE("strong reads of what strong copies write are no race, and their order is not followed (8.6.1)") {
  const auto met = [](Effect effect, Strength strength, void (*change)(trace::Readings&)) {
    Scenario s({0, 2}, with(change));
    store(s, s.thread(0), kShared, kY, kRelaxed);
    flag(s, effect, s.thread(1), strength);
    CHECK(s.detector.left_open().reads.empty() != s.found().empty());
    return s.found();
  };
  CHECK(met(Effect::read, kRelaxed, keep).empty());
  CHECK(met(Effect::read, kWeak, keep) == kRace);
  CHECK(met(Effect::read, strong(Semantics::relaxed, Scope::cta), keep) == kRace);
  CHECK(met(Effect::write, kRelaxed, keep) == kRace);
  CHECK(met(Effect::update, kRelaxed, keep) == kRace);
  CHECK(met(Effect::read, kRelaxed, [](trace::Readings& readings) { readings.strong_reads_race = true; }) ==
        kRace);
}

TEST_CASE("a wait for the reads of a group observes no completion (8.8)") {
  const auto waited = [](bool reads_only) {
    Scenario s({0, 0});
    s.write(s.thread(1), kX);
    s.access(Effect::write, s.thread(1), kShared, kRelease, Proxy::generic, kPiece);
    store(s, s.thread(0), kShared, kY, kRelaxed);
    s.wait_stores(s.thread(0), 0, reads_only);
    s.fence(s.thread(0), Semantics::acquire, Scope::gpu);
    s.read(s.thread(0), kX);
    return s.found();
  };
  CHECK(waited(false).empty());
  CHECK(waited(true) == kRace);
}

}  // namespace ptxmc::testing

// SPDX-License-Identifier: Apache-2.0
// The same of runs in which loops wait: what led them out, and what decides nothing.
#include "bridge/extract/left_out.h"
#include "recorded.h"

namespace ptxmc::extract {
namespace {

std::optional<std::string_view> left_out_of(const Run& run) {
  const Ends ends = find_ends(run.log, run.question).pairs.at(0);
  const auto sliced = slice(run.log, run.question, ends);
  REQUIRE(std::holds_alternative<Slice>(sliced));
  return left_out(run.log, ends, std::get<Slice>(sliced));
}

TEST_CASE("a loop that another write would have let go on as well") {
  for (const std::uint64_t awaited : {1U, 2U}) {
    Run run;
    const auto write = [&](unsigned site, unsigned warp, std::uint64_t value) {
      std::array<trace::Address, trace::kLanes> begin{};
      begin.fill(kGlobal);
      std::array<std::uint64_t, trace::kLanes> written{};
      written.fill(value);
      run.recorder.access({.site = site,
                           .lanes = Run::one(warp),
                           .effect = Effect::write,
                           .strength = {Semantics::release, Scope::gpu},
                           .begin = begin,
                           .written = written});
    };
    write(1, 0, 1);
    run.access(2, Run::one(1), Effect::write);
    write(3, 1, 2);
    run.poll(4, Run::one(2), {Semantics::acquire, Scope::gpu}, awaited);
    run.access(5, Run::one(2), Effect::read);
    CHECK(races(run.test({2, Run::thread(1)}, {5, Run::thread(2)})) == (awaited == 1));
  }
}

TEST_CASE("of atomics that a loop waits for, the test has one order") {
  // Warps 0 and 1 count, and warp 2 waits; one of them, or none, has done so before the first access.
  for (const unsigned counting : {1U, 2U}) {
    Run run;
    for (unsigned warp = 2 - counting; warp < 2; ++warp) {
      if (warp == 1) run.access(2, Run::one(1), Effect::write);
      run.access(1 + 2 * warp, Run::one(warp), Effect::update, kGlobal, Semantics::release, Scope::gpu);
    }
    run.poll(4, Run::one(2), {Semantics::acquire, Scope::gpu});
    run.access(5, Run::one(2), Effect::read);
    run.question.first = {2, Run::thread(1)};
    run.question.second = {5, Run::thread(2)};
    run.log = run.recorder.take();
    CHECK(left_out_of(run).has_value() == (counting == 2));
  }
}

TEST_CASE("a store that follows a loop in the run may be what the loop reads in another schedule") {
  // Warp 0 sets the flag, and warp 1 waits for it; then it is set once more, by the loop's own thread or another one.
  for (const unsigned warp : {1U, 2U}) {
    Run run;
    run.access(1, Run::one(0), Effect::write);
    run.access(2, Run::one(0), Effect::write, kGlobal, Semantics::release, Scope::gpu);
    run.poll(3, Run::one(1), {Semantics::acquire, Scope::gpu});
    run.access(4, Run::one(1), Effect::read);
    run.access(5, Run::one(warp), Effect::write, kGlobal, Semantics::relaxed, Scope::gpu);
    run.question.first = {1, Run::thread(0)};
    run.question.second = {4, Run::thread(1)};
    run.log = run.recorder.take();
    CHECK(left_out_of(run).has_value() == (warp == 2));
  }
}

TEST_CASE("what a thread reads last decides nothing of the test") {
  // The run read the flag before it was written; behind a fence.sc of both that alone would order them.
  Run run;
  run.access(1, Run::one(0), Effect::read);
  run.recorder.fence(2, Run::one(0), {Semantics::sc, Scope::cta}, isa::Space::generic);
  run.access(3, Run::one(0), Effect::read, kGlobal, Semantics::relaxed, Scope::cta);
  run.access(4, Run::one(1), Effect::write, kGlobal, Semantics::relaxed, Scope::cta);
  run.recorder.fence(5, Run::one(1), {Semantics::sc, Scope::cta}, isa::Space::generic);
  run.access(6, Run::one(1), Effect::write);
  CHECK(races(run.test({1, Run::thread(0)}, {6, Run::thread(1)})));
}

TEST_CASE("a turn of a loop that comes back decides nothing of the test") {
  for (const bool comes_back : {true, false}) {
    Run run;
    run.access(1, Run::one(0), Effect::read);
    run.recorder.fence(2, Run::one(0), {Semantics::sc, Scope::cta}, isa::Space::generic);
    run.poll(3, Run::one(0), {Semantics::relaxed, Scope::cta}, 0, !comes_back);
    run.recorder.fence(7, Run::one(0), {Semantics::acq_rel, Scope::cta}, isa::Space::generic);
    run.access(4, Run::one(1), Effect::write, kGlobal, Semantics::relaxed, Scope::cta);
    run.recorder.fence(5, Run::one(1), {Semantics::sc, Scope::cta}, isa::Space::generic);
    run.access(6, Run::one(1), Effect::write);
    CHECK(races(run.test({1, Run::thread(0)}, {6, Run::thread(1)})) == comes_back);
  }
}

}  // namespace
}  // namespace ptxmc::extract

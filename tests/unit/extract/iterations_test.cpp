// SPDX-License-Identifier: Apache-2.0
// In which iterations of their loops two accesses of a run are.
#include "bridge/extract/iterations.h"

#include "recorded.h"

namespace ptxmc::extract {
namespace {

constexpr trace::Site kOuter = 2, kInner = 4, kWrite = 5, kRead = 6;
constexpr std::array<trace::Site, 2> kLoops = {kOuter, kInner};

std::optional<Iterations> between(Run& run, std::span<const trace::Site> loops = kLoops) {
  run.question.first = {kWrite, Run::thread(0)};
  run.question.second = {kRead, Run::thread(1)};
  run.log = run.recorder.take();
  return iterations_between(run.log, find_ends(run.log, run.question).pairs, loops);
}

TEST_CASE("iterations are counted for each thread, from its own first one") {
  Run run;
  run.access(kWrite, Run::one(0), Effect::write);
  run.recorder.jump_back(kInner, Run::one(0));
  run.recorder.jump_back(kInner, Run::one(1));
  run.recorder.jump_back(kInner, Run::one(1));
  run.access(kRead, Run::one(1), Effect::read);
  CHECK(between(run) == Iterations{2, false});
}

TEST_CASE("the reader may be in an earlier iteration") {
  Run run;
  run.recorder.jump_back(kInner, Run::one(0));
  run.access(kWrite, Run::one(0), Effect::write);
  run.access(kRead, Run::one(1), Effect::read);
  CHECK(between(run) == Iterations{-1, false});
}

TEST_CASE("another lane of the warp, and another loop, count nothing") {
  Run run;
  run.access(kWrite, Run::one(0), Effect::write);
  run.recorder.jump_back(kInner, Run::one(1, 7));
  run.recorder.jump_back(kOuter + 1, Run::one(1));
  run.access(kRead, Run::one(1), Effect::read);
  CHECK(between(run) == std::nullopt);
}

TEST_CASE("an iteration of the outer loop begins the inner loop anew") {
  Run run;
  run.recorder.jump_back(kInner, Run::one(0));
  run.access(kWrite, Run::one(0), Effect::write);
  run.recorder.jump_back(kOuter, Run::one(1));
  run.recorder.jump_back(kInner, Run::one(1));
  run.access(kRead, Run::one(1), Effect::read);
  CHECK(between(run) == Iterations{1, true});
}

TEST_CASE("pairs of accesses in different iterations have no one answer") {
  Run run;
  run.access(kWrite, Run::one(0), Effect::write);
  run.access(kRead, Run::one(1), Effect::read);
  run.recorder.jump_back(kInner, Run::one(1));
  run.access(kRead, Run::one(1), Effect::read);
  CHECK(between(run) == std::nullopt);
}

}  // namespace
}  // namespace ptxmc::extract

// SPDX-License-Identifier: Apache-2.0
// executions PAIRS TABLE RUNS SEED: runs kernels with random schedules and contents, and looks for accesses that nothing orders
// in the one execution. The right sides of the pairs of which `verify` claims that there are none in any schedule must show none;
// of the wrong sides with a race some must show it, or the checker is blind.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "../verified.h"
#include "kernel/run.h"
#include "launch/plan_file.h"
#include "plain_order.h"
#include "session/launched.h"
#include "session/subject.h"
#include "support/diagnostic.h"

namespace {

using namespace ptxmc;
using ptxmc::testing::PlainOrder;
namespace fs = std::filesystem;

constexpr std::uint64_t kMostThreads = 1024;         // whose clocks are kept
constexpr std::uint64_t kMostInstructions = 50'000;  // of a run
constexpr std::uint64_t kFewRuns = 8;                // of a wrong side

/// SplitMix64.
std::uint64_t draw(std::uint64_t& state) {
  std::uint64_t out = state += 0x9e3779b97f4a7c15U;
  out = (out ^ out >> 30U) * 0xbf58476d1ce4e5b9U;
  out = (out ^ out >> 27U) * 0x94d049bb133111ebU;
  return out ^ out >> 31U;
}

SourcePtr source_of(const fs::path& path) {
  std::ifstream in(path);
  return std::make_shared<const Source>(Source{path.string(), {std::istreambuf_iterator<char>(in), {}}});
}

/// The launch of a pair names no module, as both sides have the same.
SourcePtr launch_of(const fs::path& pair, const std::string& side) {
  verified::json launch = verified::json::parse(source_of(pair / "launch.json")->text);
  launch["module"] = side + ".ptx";
  return std::make_shared<const Source>(Source{(pair / "launch.json").string(), launch.dump()});
}

session::Subject subject_of(const fs::path& pair, const std::string& side) {
  launch::Beside beside;
  return session::subject_of(session::launched(source_of(pair / (side + ".ptx")),
                                               launch::read_plan(launch_of(pair, side)), {}, &beside),
                             beside);
}

kernel::Options random_options(std::uint64_t& state) {
  kernel::Options out;
  out.steps = kMostInstructions;
  out.schedule.seed = draw(state);
  out.schedule.late = draw(state) % 2 == 0;
  out.waits_fail = draw(state) % 4 == 0;
  if (draw(state) % 2 == 0) {
    kernel::Contents contents;
    contents.word = static_cast<std::uint32_t>(draw(state));
    if (draw(state) % 2 == 0) contents.word %= 4;
    contents.words = static_cast<kernel::Contents::Words>(draw(state) % 3);
    out.contents = contents;
  }
  return out;
}

struct Counts {
  std::uint64_t kernels = 0, runs = 0, foreign = 0, races = 0;
};

/// Runs a launch so many times. False: it has operations that the checker does not know, or is too large for it.
bool execute(const session::Subject& subject, std::uint64_t runs, std::uint64_t& state, Counts& counts,
             std::string& shown) {
  if (subject.test.threads.size() > kMostThreads) return false;
  for (std::uint64_t i = 0; i < runs; ++i) {
    PlainOrder order;
    kernel::Run run(subject.test, &order, subject.inner_maps);
    const kernel::Outcome outcome = run.run(random_options(state));
    if (order.is_foreign() || outcome.end == kernel::End::out_of_steps) return false;
    ++counts.runs;
    if (order.races().empty()) continue;
    const testing::PlainRace& race = order.races().front();
    shown = fmt::format("line {} and line {}, at {}", run.instruction(race.first).position.line,
                        run.instruction(race.second).position.line, run.name_of(race.at));
    ++counts.races;
    return true;
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    fmt::print(stderr, "usage: executions PAIRS TABLE RUNS SEED\n");
    return 2;
  }
  const std::uint64_t runs = std::strtoull(argv[3], nullptr, 10);
  std::uint64_t state = std::strtoull(argv[4], nullptr, 10);
  Counts right, wrong;
  for (const std::vector<std::string>& row : verified::read_table(argv[2], 6)) {
    const fs::path pair = fs::path(argv[1]) / row[0];
    std::string shown;
    try {
      if (row[5] == "exact") {
        const std::uint64_t before = right.races;
        right.foreign += execute(subject_of(pair, "fixed"), runs, state, right, shown) ? 0 : 1;
        ++right.kernels;
        if (right.races != before) fmt::print("{}: claimed to be race-free, but {}\n", row[0], shown);
      }
      wrong.foreign +=
          execute(subject_of(pair, "buggy"), std::min(runs, kFewRuns), state, wrong, shown) ? 0 : 1;
      ++wrong.kernels;
    } catch (const InputError& error) {
      fmt::print("{}: {}", row[0], error.what());
    }
  }
  fmt::print("{} proven kernels, {} of them not followed, {} runs: {} with a race\n", right.kernels,
             right.foreign, right.runs, right.races);
  fmt::print("{} wrong kernels, {} of them not followed: {} show a race\n", wrong.kernels, wrong.foreign,
             wrong.races);
  return right.races == 0 && right.runs != 0 && wrong.races * 4 > wrong.kernels ? 0 : 1;
}

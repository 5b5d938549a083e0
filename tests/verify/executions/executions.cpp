// SPDX-License-Identifier: Apache-2.0
// executions PAIRS TABLE RUNS SEED: runs kernels with random schedules and contents, and looks for accesses that nothing orders
// in the one execution. The right sides of the pairs of which `verify` claims that there are none in any schedule must show none,
// in RUNS executions of them all; of the wrong sides with a race some must show it, or the checker is blind.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "../verified.h"
#include "dynamic/exec/run.h"
#include "dynamic/explore/task.h"
#include "input/launch/plan_file.h"
#include "plain_order.h"
#include "session/cta_selection.h"
#include "session/launched.h"
#include "support/diagnostic.h"

namespace {

using namespace ptxmc;
using ptxmc::testing::PlainOrder;
namespace fs = std::filesystem;

constexpr std::uint64_t kMostThreads = 1024;         // whose clocks are kept
constexpr std::uint64_t kMostInstructions = 50'000;  // of a run
constexpr std::uint64_t kShare = 4000;               // lane-instructions of a kernel in a round
constexpr std::uint64_t kFewRuns = 8;                // of a wrong side, about

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

explore::VerificationTask task_of(const fs::path& pair, const std::string& side) {
  launch::Beside beside;
  return session::task_of(session::launched(source_of(pair / (side + ".ptx")),
                                            launch::read_plan(launch_of(pair, side)), {}, &beside),
                          beside);
}

exec::Options random_options(std::uint64_t& state) {
  exec::Options out;
  out.steps = kMostInstructions;
  out.schedule.seed = draw(state);
  out.schedule.late = draw(state) % 2 == 0;
  out.waits_fail = draw(state) % 4 == 0;
  if (draw(state) % 2 == 0) {
    exec::Contents contents;
    contents.word = static_cast<std::uint32_t>(draw(state));
    if (draw(state) % 2 == 0) contents.word %= 4;
    contents.words = static_cast<exec::Contents::Words>(draw(state) % 3);
    out.contents = contents;
  }
  return out;
}

struct Counts {
  std::uint64_t kernels = 0, foreign = 0, runs = 0, races = 0;
};

/// One side of a pair.
class Kernel {
 public:
  Kernel(const fs::path& pair, const std::string& side)
      : name_(pair.filename()), task_(task_of(pair, side)) {}

  /// Whether another run would say something: not of operations that the checker does not know, nor of a launch that is too
  /// large for it, nor behind a race.
  bool is_open() const { return !foreign_ && race_.empty() && task_.test.threads.size() <= kMostThreads; }
  bool is_foreign() const { return is_open() ? false : race_.empty(); }
  /// A race that a run has shown, or nothing.
  const std::string& race() const { return race_; }
  const std::string& name() const { return name_; }

  /// The lane-instructions of one more run.
  std::uint64_t run(std::uint64_t& state) {
    PlainOrder order;
    exec::Run run(task_.test, &order, task_.inner_maps);
    const exec::Outcome outcome = run.run(random_options(state));
    foreign_ = order.is_foreign() || outcome.end == exec::End::out_of_steps;
    if (foreign_ || order.races().empty()) return outcome.instructions;
    const testing::PlainRace& race = order.races().front();
    race_ = fmt::format("line {} and line {}, at {}", run.instruction(race.first).position.line,
                        run.instruction(race.second).position.line, run.name_of(race.at));
    return outcome.instructions;
  }

 private:
  std::string name_;
  explore::VerificationTask task_;
  bool foreign_ = false;
  std::string race_;
};

/// Runs all of them until there are so many runs. In each round one after the other has its share of instructions, and one run
/// at least, so that small kernels run more often.
Counts execute(std::vector<std::unique_ptr<Kernel>>& kernels, std::uint64_t runs, std::uint64_t& state) {
  Counts out;
  bool open = true;
  for (std::uint64_t round = 1; open && out.runs < runs; ++round) {
    open = false;
    for (const std::unique_ptr<Kernel>& kernel : kernels) {
      std::uint64_t used = 0;
      do {
        if (!kernel->is_open()) break;
        open = true;
        used += kernel->run(state) + 1;
        ++out.runs;
      } while (used < kShare && out.runs < runs);
    }
    if (round % 64 == 0) fmt::print(stderr, "{} of {} runs\n", out.runs, runs);
  }
  out.kernels = kernels.size();
  for (const std::unique_ptr<Kernel>& kernel : kernels) {
    out.foreign += kernel->is_foreign() ? 1 : 0;
    out.races += kernel->race().empty() ? 0 : 1;
  }
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    fmt::print(stderr, "usage: executions PAIRS TABLE RUNS SEED\n");
    return 2;
  }
  const std::uint64_t runs = std::strtoull(argv[3], nullptr, 10);
  std::uint64_t state = std::strtoull(argv[4], nullptr, 10);
  std::vector<std::unique_ptr<Kernel>> proven, wrong;
  for (const std::vector<std::string>& row : verified::read_table(argv[2], 6)) {
    const fs::path pair = fs::path(argv[1]) / row[0];
    try {
      if (row[5] == "exact") proven.push_back(std::make_unique<Kernel>(pair, "fixed"));
      wrong.push_back(std::make_unique<Kernel>(pair, "buggy"));
    } catch (const InputError& error) {
      fmt::print("{}: {}", row[0], error.what());
    }
  }
  const Counts of_proven = execute(proven, runs, state);
  for (const std::unique_ptr<Kernel>& kernel : proven) {
    if (!kernel->race().empty())
      fmt::print("{}: claimed to be race-free, but {}\n", kernel->name(), kernel->race());
  }
  const Counts of_wrong = execute(wrong, std::min(runs, kFewRuns * wrong.size()), state);
  fmt::print("{} proven kernels, {} of them not followed, {} runs: {} with a race\n", of_proven.kernels,
             of_proven.foreign, of_proven.runs, of_proven.races);
  fmt::print("{} wrong kernels, {} of them not followed: {} show a race\n", of_wrong.kernels,
             of_wrong.foreign, of_wrong.races);
  const bool sees = of_wrong.races * 4 > of_wrong.kernels;
  return of_proven.races == 0 && of_proven.runs > of_proven.foreign && sees ? 0 : 1;
}

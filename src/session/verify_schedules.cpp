// SPDX-License-Identifier: Apache-2.0
#include "session/verify_schedules.h"

#include <algorithm>
#include <utility>

#include "trace/detector.h"

namespace ptxmc::session {

namespace {

constexpr std::size_t kMostRuns = 16;        // unless the user says another number
constexpr std::uint64_t kLong = 10'000'000;  // instructions of all of them
constexpr std::uint32_t kMostHeld = 4;       // warps that are behind all others, or before them, a run each

bool rests_on_timing(const report::Verified& verified) {
  const auto open = [&](const kernel::Decision& decision) {
    const bool timing = (decision.sources & bit(kernel::Source::timing)) != 0;
    return timing && (decision.what != kernel::Decided::waiting || !verified.waits_settled);
  };
  const auto& decisions = verified.outcome.decisions;
  const bool other_turns = verified.turns.taken != 0 && !verified.turns.all;
  return other_turns || std::any_of(decisions.begin(), decisions.end(), open);
}

/// Those of the launch: the first and the last ones.
std::vector<std::uint32_t> some_warps(const kernel::Run& run) {
  const std::uint32_t count = run.warps();
  std::vector<std::uint32_t> out;
  for (std::uint32_t i = 0; i < std::min(kMostHeld, count); ++i) {
    const std::uint32_t half = kMostHeld / 2;
    out.push_back(i < half || count <= kMostHeld ? i : count - kMostHeld + i);
  }
  return out;
}

/// Those that differ much from the plain one first.
std::vector<kernel::Schedule> schedules_of(const kernel::Run& run, std::size_t count) {
  std::vector<kernel::Schedule> out(3);
  out[0].reversed = true;
  out[1].length = 1;
  out[2].reversed = true;
  out[2].length = 1;
  for (const std::uint32_t last : some_warps(run)) out.emplace_back().held = {last};
  for (std::uint64_t seed = 1; out.size() < count; ++seed) out.emplace_back().seed = seed;
  out.resize(count);
  return out;
}

}  // namespace

void try_schedules(const Subject& subject, const kernel::Options& limits, std::optional<std::size_t> most,
                   report::Verified& verified, Runs& runs) {
  if (!rests_on_timing(verified)) return;
  std::uint64_t instructions = verified.outcome.instructions;
  for (const kernel::Schedule& schedule : schedules_of(*verified.run, most.value_or(kMostRuns))) {
    if (!most && instructions > kLong) return;
    trace::Detector detector;
    kernel::Run run(subject.test, &detector, subject.inner_maps);
    kernel::Options options = limits;
    options.schedule = schedule;
    report::Verified shown;
    shown.outcome = run.run(options);
    shown.findings = detector.findings();
    instructions += shown.outcome.instructions;
    const kernel::End end = shown.outcome.end;
    if (end != kernel::End::finished && end != kernel::End::deadlock) return;
    ++verified.schedules;
    add_run(shown, std::move(options), verified, runs);
  }
}

}  // namespace ptxmc::session

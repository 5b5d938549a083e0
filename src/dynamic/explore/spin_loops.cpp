// SPDX-License-Identifier: Apache-2.0
#include "dynamic/explore/spin_loops.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace ptxmc::explore {

namespace {

/// What a loop read decides after it: it is no loop that waits alone, and takes what it read.
bool decides_more(const exec::Outcome& outcome) {
  return std::any_of(outcome.decisions.begin(), outcome.decisions.end(), [](const exec::Decision& decision) {
    return decision.what != exec::Decided::waiting && (decision.sources & bit(exec::Source::timing)) != 0;
  });
}

}  // namespace

Waits::Waits(const VerificationTask& task, const std::map<trace::Address, std::uint8_t>& polled)
    : task_(task), fresh_(task.test, nullptr, task.inner_maps) {
  learn(polled);
}

void Waits::watch(trace::Address at, std::uint8_t bytes) {
  const std::optional<trace::Bits> initial = fresh_.content(at, bytes);
  flags_.try_emplace(at, trace::Flag{bytes, initial, !initial && !fresh_.global_variable_at(at)});
}

/// Were there some that were not known?
bool Waits::learn(const std::map<trace::Address, std::uint8_t>& polled) {
  const std::size_t before = flags_.size();
  for (const auto& [at, bytes] : polled) watch(at, bytes);
  return flags_.size() != before;
}

Waits::Result Waits::run_as_it_is(const exec::Options& options) const {
  trace::Options observing = task_.detection(options);
  observing.flags = flags_;
  observing.turns = options.turns.at;
  observing.this_execution = true;
  Result out;
  out.detector = std::make_unique<trace::Detector>(observing);
  exec::Run run(task_.test, out.detector.get(), task_.inner_maps);
  out.verified.outcome = run.run(options);
  return out;
}

Waits::Result Waits::run(exec::Options options) {
  constexpr unsigned kMostRuns = 6, kMostLearnt = 10;  // the latter: runs of which each tells more of values
  std::optional<trace::TakenMap> taken;                // nothing: loops take what they read
  Result out;
  for (unsigned round = 0, learnt = 0; round < kMostRuns;) {
    trace::Options flags = task_.detection(options);
    flags.flags = flags_;
    flags.turns = options.turns.at;
    if (taken) flags.taken = &*taken;
    Result next;
    next.detector = std::make_unique<trace::Detector>(flags);
    exec::Run run(task_.test, next.detector.get(), task_.inner_maps);
    next.verified.outcome = run.run(options);
    next.verified.findings = next.detector->findings();
    next.verified.left_open = next.detector->left_open();
    trace::Flags::Answer answer;
    if (!next.detector->polled().empty()) answer = next.detector->flags();
    const bool finished = next.verified.outcome.end == exec::End::finished;
    const bool again = finished && learn(next.detector->polled());
    const bool one_value = std::includes(answer.one_value.begin(), answer.one_value.end(),
                                         options.one_value.begin(), options.one_value.end());
    const bool open = decides_more(next.verified.outcome) || !answer.open.empty();
    const bool tells =
        finished && open && one_value && answer.one_value != options.one_value && learnt++ < kMostLearnt;
    const bool over = !finished || !one_value || (open && !tells);
    out.ordered =
        out.ordered && std::all_of(options.ordered.begin(), options.ordered.end(), [&](const auto& location) {
          return next.detector->is_ordered({location.first, location.second});
        });
    next.verified.waits_settled = !over && !again && !tells && answer.settled;
    const bool settled = next.verified.waits_settled;
    next.ordered = out.ordered;
    if ((!taken && options.one_value.empty()) || settled) out = std::move(next);
    if (!again && (over || settled)) break;
    taken = again || tells ? std::nullopt : std::optional(std::move(answer.taken));
    if (tells) {
      options.one_value = std::move(answer.one_value);
    } else {
      ++round;
    }
  }
  return out;
}

}  // namespace ptxmc::explore

// SPDX-License-Identifier: Apache-2.0
// One execution of a kernel, what it says of the others, and what the exact engine says of what was found.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "explain/verify/verified.h"
#include "kernel/run.h"
#include "session/confirm.h"
#include "session/settings.h"
#include "session/subject.h"
#include "session/verify_runs.h"
#include "support/budget.h"
#include "trace/detector.h"

namespace ptxmc::session {

/// What makes claims about all schedules possible, or cheap, and takes nothing from what is found. Tests leave it out.
struct VerifyReductions {
  bool known_bits = true;  ///< bits of open values that are known (kernel/known_bits.h)
  bool counting = true;    ///< results that are but compared (kernel/counting.h)
  bool both_ways = true;   ///< branches that open contents decide (kernel/both_ways.h)
};
constexpr VerifyReductions kNoVerifyReductions{false, false, false};

struct Verification;

/// How it runs, and what is asked of it.
struct VerifySettings {
  std::optional<double> timeout;              ///< seconds, of all runs and questions together
  std::stop_token cancel;                     ///< calls them off
  std::optional<Budget> until = {};           ///< of what else belongs to them, too; in place of both
  std::optional<std::uint64_t> steps;         ///< instructions of lanes, at most
  std::optional<std::uint64_t> ctas_at_once;  ///< of a launch that does not run whole
  std::optional<std::size_t> choices;  ///< runs with other orders of atomics that decide, at most; 0: none
  bool trace = true;                   ///< look at what orders accesses
  bool waits_fail = false;             ///< each wait for an mbarrier object fails at first
  VerifyReductions reductions = {};
  explain::Severities severities = {};
  std::vector<kernel::Changed> changes = {};                           ///< as kernel::Options::changes
  std::function<std::optional<kernel::End>(std::uint64_t)> stop = {};  ///< as kernel::Options::stop
  /// The first run ends at such a finding; behind a run that shows enough there is no other.
  std::function<bool(const kernel::Run&, const trace::Finding&)> ends_at = {};
  std::function<bool(const explain::Verified&)> is_enough = {};
  std::function<bool()> interrupted = [] { return false; };  ///< nothing else is begun
  /// Gets what the first runs have shown, before others follow.
  std::function<void(const Verification&)> note = {};

  Budget budget() const { return until ? *until : Budget(timeout, cancel); }
};

/// A run and what was found. Neither copied nor moved: `verified` refers to the run, and to the subject, which outlives it.
struct Verification {
  Verification(const Subject& subject, bool trace, kernel::Options options)
      : detector(subject.detection(options)),
        run(subject.test, trace ? &detector : nullptr, subject.inner_maps),
        limits(std::move(options)) {}
  Verification(const Verification&) = delete;
  Verification& operator=(const Verification&) = delete;

  trace::Detector detector;
  kernel::Run run;
  kernel::Options limits;
  explain::Verified verified;
  Runs runs;  ///< that show the findings

  /// The run that shows the first finding.
  const kernel::Options& shown() const {
    return runs.options[runs.shown_by.empty() ? 0 : runs.shown_by.front()];
  }
};

/// Throws InputError for what cannot be run.
std::unique_ptr<Verification> verify(const Subject& subject, const VerifySettings& settings);

/// Gets an answer, and the name and the litmus test that it is about.
using Told =
    std::function<void(const std::string& name, const Confirmed& confirmed, explain::ExactAnswer& answer)>;

/// Asks the exact engine about the first race of each group.
void ask_exactly(const Subject& subject, const Settings& exact, const VerifySettings& settings,
                 Verification& verification, const Told& told = {});

}  // namespace ptxmc::session

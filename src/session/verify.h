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

#include "dynamic/claim/verify_result.h"
#include "dynamic/exec/run.h"
#include "dynamic/explore/runs.h"
#include "dynamic/explore/task.h"
#include "dynamic/shadow/detector.h"
#include "session/confirm.h"
#include "session/settings.h"
#include "support/budget.h"

namespace ptxmc::session {

/// What makes claims about all schedules possible, or cheap, and takes nothing from what is found. Tests leave it out.
struct VerifyReductions {
  bool known_bits = true;  ///< bits of open values that are known (dynamic/exec/known_bits.h)
  bool counting = true;    ///< results that are but compared (dynamic/exec/counter_atomics.h)
  bool both_sides = true;  ///< branches that open contents decide (dynamic/exec/both_branch_sides.h)
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
  exec::Detail detail = {};            ///< of the first run; what is found is looked at again in any case
  bool small_runs_whole = true;        ///< a launch of which all blocks have little to do runs whole
  bool waits_fail = false;             ///< each wait for an mbarrier object fails at first
  VerifyReductions reductions = {};
  claim::Severities severities = {};
  std::vector<exec::Changed> changes = {};                           ///< as exec::Options::changes
  std::function<std::optional<exec::End>(std::uint64_t)> stop = {};  ///< as exec::Options::stop
  /// The first run ends at such a finding; after a run that shows enough there is no other.
  std::function<bool(const exec::Run&, const trace::Finding&)> ends_at = {};
  std::function<bool(const claim::VerifyResult&)> is_enough = {};
  std::function<bool()> interrupted = [] { return false; };  ///< nothing else is begun
  /// Gets what the first runs have shown, before others follow.
  std::function<void(const Verification&)> note = {};

  Budget budget() const { return until ? *until : Budget(timeout, cancel); }
};

/// A run and what was found. Neither copied nor moved: `verified` refers to the run, and to the task, which outlives it.
struct Verification {
  Verification(const explore::VerificationTask& task, bool trace, exec::Options options)
      : detector(task.detection(options)),
        run(task.test, trace ? &detector : nullptr, task.inner_maps),
        limits(std::move(options)) {}
  Verification(const Verification&) = delete;
  Verification& operator=(const Verification&) = delete;

  trace::Detector detector;
  exec::Run run;
  exec::Options limits;
  claim::VerifyResult verified;
  explore::Runs runs;  ///< that show the findings

  /// The run that shows the first finding.
  const exec::Options& shown() const {
    return runs.options[runs.shown_by.empty() ? 0 : runs.shown_by.front()];
  }
};

/// Throws InputError for what cannot be run.
std::unique_ptr<Verification> verify(const explore::VerificationTask& task, const VerifySettings& settings);

/// Gets an answer, and the name and the litmus test that it is about.
using OnConfirmed =
    std::function<void(const std::string& name, const Confirmed& confirmed, claim::ExactAnswer& answer)>;

/// Asks the exact engine about the first race of each group.
void ask_exactly(const explore::VerificationTask& task, const Settings& exact, const VerifySettings& settings,
                 Verification& verification, const OnConfirmed& told = {});

}  // namespace ptxmc::session

// SPDX-License-Identifier: Apache-2.0
// The runs of a launch, and which of them shows a finding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "dynamic/claim/verify_result.h"
#include "dynamic/exec/run.h"
#include "dynamic/explore/task.h"
#include "dynamic/shadow/detector.h"

namespace ptxmc::explore {

// instructions of all of them: when there are that many, few more follow
constexpr std::uint64_t kLongRuns = 10'000'000;

struct Runs {
  std::vector<exec::Options> options;  ///< the first is that of the run that was there before
  std::vector<std::size_t> shown_by;   ///< by the number of the finding
  bool polls_read_data = false;        ///< loops that poll might go on by open contents
  bool ordered = true;                 ///< what exec::Options::ordered says, holds in each
};

/// Two stores race whose values rest on open contents, for all that is known: they may be equal whatever these are.
bool may_be_equal(const claim::VerifyResult& verified);

/// Equal values were written in no order.
bool are_equal(const std::vector<trace::Finding>& findings);

/// It came to its end, be that one at which no thread can continue.
inline bool is_whole(const exec::Outcome& outcome) {
  return outcome.end == exec::End::finished || outcome.end == exec::End::deadlock;
}

/// A run in another way.
struct OtherRun {
  claim::VerifyResult verified;  ///< its outcome and findings
  std::unique_ptr<trace::Detector> detector;
};
/// Terms are followed where stores race that may be equal, and values are compared where they are.
OtherRun run_otherwise(const VerificationTask& task, exec::Options& options);

/// Adds what other runs show (`shown`, by `of`): findings, faults and hangs that no run before showed, or only with another
/// elected lane; what they executed, and what a proof takes as given because of them.
void add_runs(const claim::VerifyResult& shown, Runs of, claim::VerifyResult& verified, Runs& runs);
/// The same of one run.
void add_run(const claim::VerifyResult& shown, exec::Options options, claim::VerifyResult& verified,
             Runs& runs);

}  // namespace ptxmc::explore

// SPDX-License-Identifier: Apache-2.0
// The runs of a launch, and which of them shows a finding.
#pragma once

#include <cstddef>
#include <vector>

#include "explain/verify/verified.h"
#include "kernel/run.h"
#include "session/subject.h"

namespace ptxmc::session {

struct Runs {
  std::vector<kernel::Options> options;  ///< the first is that of the run that was there before
  std::vector<std::size_t> shown_by;     ///< by the number of the finding
  bool ordered = true;                   ///< what kernel::Options::ordered says, holds in each
};

/// Two stores race whose values rest on open contents, for all that is known: they may be equal whatever these are.
bool may_be_equal(const explain::Verified& verified);

/// Runs it once more, in another way; terms are followed where stores race that may be equal.
explain::Verified run_otherwise(const Subject& subject, kernel::Options& options);

/// Adds a run: its findings, faults and hang that no run before it showed, and what it executed.
void add_run(const explain::Verified& shown, kernel::Options options, explain::Verified& verified,
             Runs& runs);

}  // namespace ptxmc::session

// SPDX-License-Identifier: Apache-2.0
// What verify says of synchronization that is not needed, asked of the exact engine: litmus tests of what stands between two
// accesses of the launch, with an instruction and without it.
#pragma once

#include <cstddef>
#include <set>
#include <span>
#include <vector>

#include "dynamic/exec/run.h"
#include "dynamic/explore/task.h"
#include "dynamic/order/finding.h"
#include "session/analysis.h"

namespace ptxmc::session {

/// Answers of the litmus tests in which an instruction stands, judged without it.
struct FragmentAnswers {
  std::size_t asked = 0, ordered = 0, racing = 0;  // the others: the engine left it open
};

class Fragments {
 public:
  /// Pairs of accesses that race in the launch without something. Those that the engine finds ordered in the launch as it
  /// stands are kept, with what stands between them. `run` is one of it.
  Fragments(const Session& session, const explore::VerificationTask& task, const exec::Run& run,
            const exec::Options& limits, std::span<const trace::Finding> pairs);

  /// The answers for the launch with these changes: tests in which instructions of `sites` all stand, unless
  /// they are changed.
  FragmentAnswers without(const std::vector<exec::Changed>& changes) const;

 private:
  struct Fragment {
    trace::Finding pair;
    std::set<trace::Site> sites;
  };

  const Session& session_;
  const explore::VerificationTask& task_;
  const exec::Run& run_;
  exec::Options limits_;
  std::vector<Fragment> fragments_;
};

}  // namespace ptxmc::session

// SPDX-License-Identifier: Apache-2.0
// Repairs of kernels: changes of a PTX module after which `verify` does not find what it found, nor anything new. Each is proven so:
// its text is read and verified as any other.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "dynamic/explore/task.h"
#include "explain/verify/findings.h"
#include "repair/costs.h"
#include "repair/source_change.h"
#include "session/settings.h"
#include "session/verify.h"
#include "support/budget.h"

namespace ptxmc::repair {

/// A module as it was verified.
struct KernelRun {
  std::unique_ptr<explore::VerificationTask> task;
  std::unique_ptr<session::Verification> verification;
};

/// Another launch of the same kernels, on which repairs are tried, too.
struct OtherLaunch {
  std::string name;  ///< "blocks of 256 threads"
  std::function<KernelRun(const std::string& module)> verify;
};

struct KernelAsked {
  /// Launches and verifies a module of this text. Throws InputError for one that cannot be run.
  std::function<KernelRun(const std::string& module)> verify;
  std::vector<OtherLaunch> others;  ///< those that the kernel does not take are left out
  session::Settings exact;          ///< how extracted tests are judged
  std::size_t changes = 3;          ///< of a repair, at most
  std::size_t repairs = 5;          ///< of a finding, at most; 0: all
  const Costs* costs = nullptr;     ///< null: those shipped
  Budget budget;
};

/// What became of a repair on another launch.
struct Elsewhere {
  std::string launch;
  bool holds = false;
  claim::Verdict claim = claim::Verdict::incomplete;
};

struct KernelRepair {
  std::vector<std::string> what;  ///< a line a change
  std::string text;               ///< of the module
  bool orders = true;             ///< KernelCandidate::orders
  double cost = 0;
  claim::Verdict claim = claim::Verdict::incomplete;  ///< what holds of it then
  std::vector<SourceChange> source;                   ///< KernelCandidate::source
  std::vector<Elsewhere> elsewhere;                   ///< launches that the kernel takes

  /// On all of these, too.
  bool holds_elsewhere() const {
    return std::all_of(elsewhere.begin(), elsewhere.end(), [](const Elsewhere& one) { return one.holds; });
  }
};

/// A finding, and how it goes.
struct KernelRepairs {
  explain::Finding finding;
  /// those that order first, of these those that hold on the other launches, of these the cheapest
  std::vector<KernelRepair> repairs;
  std::size_t tried = 0, of = 0;  ///< candidates; those of more changes than were wanted are not tried
  bool cut = false;               ///< a limit ended the search, or it found as many as were wanted
  std::string test;  ///< why there is no extracted test, or why it has no repair; empty: it was used

  /// The one that is made: a repair that orders the two; null: there is none.
  const KernelRepair* taken() const {
    return repairs.empty() || !repairs.front().orders ? nullptr : &repairs.front();
  }
};

struct RepairedKernel {
  /// one after the other, each with the cheapest repairs of those before it in place
  std::vector<KernelRepairs> findings;
  std::string before, after;  ///< the module, and with the cheapest repair of each
  bool out_of_time = false;
  bool clean = false;                                   ///< no error is found in `after`
  claim::Verdict verdict = claim::Verdict::incomplete;  ///< of `after`
  std::string claim;                                    ///< the same in words
  std::vector<std::string> open;                        ///< why it is no proof
};

/// Repairs of all errors that `verify` finds; of warnings where there are none. That a finding has no repair
/// here does not say that there is none: candidates are those of candidates.h.
RepairedKernel repair_kernel(const std::string& module, const KernelAsked& asked);

}  // namespace ptxmc::repair

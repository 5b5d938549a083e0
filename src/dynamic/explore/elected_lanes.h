// SPDX-License-Identifier: Apache-2.0
// elect.sync elects any lane of its membermask, of equal ones the same (R227): each is an input.
#pragma once

#include <functional>

#include "dynamic/claim/verify_result.h"
#include "dynamic/explore/runs.h"
#include "dynamic/explore/task.h"
#include "dynamic/shadow/detector.h"

namespace ptxmc::explore {

/// Adds to what a run shows what its other orders do: of contended accesses, and of the writes that loops wait for.
using ExploreOrders = std::function<Runs(const trace::Detector& run, const exec::Options& limits,
                                         claim::VerifyResult& verified)>;

/// Each other lane that may be elected, in all orders. A lane of which it is not said leaves Verified::Elected::all false.
void try_elected(const VerificationTask& task, const exec::Options& limits, const ExploreOrders& explore,
                 claim::VerifyResult& verified, Runs& runs);

}  // namespace ptxmc::explore

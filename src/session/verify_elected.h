// SPDX-License-Identifier: Apache-2.0
// elect.sync elects any lane of its membermask, of equal ones the same (R227): each is an input.
#pragma once

#include <functional>

#include "explain/verify/verified.h"
#include "session/subject.h"
#include "session/verify_runs.h"
#include "trace/detector.h"

namespace ptxmc::session {

/// Adds to what a run shows what its other orders do: of contended accesses, and of the writes that loops wait for.
using ExploreOrders = std::function<Runs(const trace::Detector& run, const kernel::Options& limits,
                                         explain::Verified& verified)>;

/// Each other lane that may be elected, in all orders. A lane of which it is not said leaves Verified::Elected::all false.
void try_elected(const Subject& subject, const kernel::Options& limits, const ExploreOrders& explore,
                 explain::Verified& verified, Runs& runs);

}  // namespace ptxmc::session

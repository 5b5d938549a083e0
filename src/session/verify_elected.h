// SPDX-License-Identifier: Apache-2.0
// elect.sync elects any lane of its membermask, of equal ones the same (R227): each is an input.
#pragma once

#include "explain/verify/verified.h"
#include "session/subject.h"
#include "session/verify_runs.h"

namespace ptxmc::session {

/// Runs it with other lanes elected: with the last one, and as long as that is worth the time with each.
void try_elected(const Subject& subject, const kernel::Options& limits, explain::Verified& verified,
                 Runs& runs);

}  // namespace ptxmc::session

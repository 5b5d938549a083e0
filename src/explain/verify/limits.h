// SPDX-License-Identifier: Apache-2.0
// Why what a run shows does not hold in all schedules: what was left out of it, what it rests on, where it ended.
#pragma once

#include <string>
#include <vector>

#include "explain/verify/verified.h"

namespace ptxmc::explain {

/// Sentences without a full stop; empty: where nothing was found, the claim is exact.
std::vector<std::string> limits_of(const Verified& verified);

/// Atomics at contended locations whose results may decide control; and where they are, in words.
std::vector<trace::Site> decided_by_turns(const Verified& verified);
std::string turns_text(const Verified& verified);

}  // namespace ptxmc::explain

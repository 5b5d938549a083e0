// SPDX-License-Identifier: Apache-2.0
// Why what a run shows does not hold in all schedules: what was left out of it, what it rests on, where it ended.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "explain/verify/verified.h"

namespace ptxmc::explain {

/// Sentences without a full stop; empty: where nothing was found, the claim is exact.
std::vector<std::string> limits_of(const Verified& verified);

/// Their lines, the first few of them: "line 12, line 14 and 3 more".
std::string sites_text(const Verified& verified, const std::vector<trace::Site>& sites);

/// Atomics and strong reads at contended locations whose results may decide control; where they are, and the order of which
/// of them it is, in words.
std::vector<trace::Site> decided_by_turns(const Verified& verified);
std::string_view order_text(const Verified& verified);
std::string turns_text(const Verified& verified);

/// What an exact claim is about alone: where something open decides that nobody goes to a trap; empty: about all executions.
std::string avoided_text(const Verified& verified);

}  // namespace ptxmc::explain

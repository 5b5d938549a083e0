// SPDX-License-Identifier: Apache-2.0
// Claims in English. They decide nothing.
#pragma once

#include <string>
#include <vector>

#include "explain/verify/claim.h"
#include "explain/verify/verified.h"

namespace ptxmc::explain {

/// A sentence without a full stop, and without why the claim is open.
std::string claim_text(const Verified& verified, const Claim& claim);

/// Why the claim is open; without a full stop.
std::string open_text(const Verified& verified, const Open& open);
/// All of them, and the claim under other readings if there is one.
std::vector<std::string> open_texts(const Verified& verified, const Claim& claim);

/// Values that leave the launch and that another schedule may give otherwise; empty: there are none.
std::string schedule_dependent_text(const Verified& verified, const Claim& claim);

/// What the proof takes as given; without a full stop.
std::string assumption_text(const Verified& verified, const Assumed& assumed);

}  // namespace ptxmc::explain

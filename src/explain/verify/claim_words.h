// SPDX-License-Identifier: Apache-2.0
// Claims in English. They decide nothing.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dynamic/claim/claim.h"
#include "dynamic/claim/verify_result.h"

namespace ptxmc::explain {

/// "block_sum<<<1, 128>>>", or the name where several kernels are launched, or none.
std::string launch_title(const claim::VerifyResult& verified);

/// The verdict alone: a sentence without a full stop.
std::string verdict_text(const claim::VerifyResult& verified, const claim::Claim& claim);
/// Why it is a proof, a sentence each; empty where it is none.
std::vector<std::string> proof_texts(const claim::VerifyResult& verified, const claim::Claim& claim);
/// What the proof takes as given; empty where it is none.
std::vector<std::string> assumption_texts(const claim::VerifyResult& verified, const claim::Claim& claim);
/// All of these in one line, without why the claim is open.
std::string claim_text(const claim::VerifyResult& verified, const claim::Claim& claim);

/// Why the claim is open; without a full stop.
std::string open_text(const claim::VerifyResult& verified, const claim::Open& open);
/// What would close it; empty: nothing that an option says.
std::string_view closing_text(const claim::VerifyResult& verified, const claim::Open& open);
/// All of them, and the claim under other readings if there is one.
std::vector<std::string> open_texts(const claim::VerifyResult& verified, const claim::Claim& claim);

/// What a proof covers; nothing where it is none.
std::vector<std::string> covered_texts(const claim::VerifyResult& verified, const claim::Claim& claim);
/// What a proof does not cover: other launches, and values that depend on the schedule.
std::vector<std::string> uncovered_texts(const claim::VerifyResult& verified, const claim::Claim& claim);
/// Values that leave the launch and that another schedule may give otherwise; empty: there are none.
std::string schedule_dependent_text(const claim::VerifyResult& verified, const claim::Claim& claim);

/// What the proof takes as given; without a full stop.
std::string assumption_text(const claim::VerifyResult& verified, const claim::Assumed& assumed);

}  // namespace ptxmc::explain

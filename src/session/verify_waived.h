// SPDX-License-Identifier: Apache-2.0
// Launches with warnings of what the wording of the manual forbids and code that ships does: what is said of them where the
// manual is read so that it allows that. And proofs that hold under the wording alone, which hardware does not keep.
#pragma once

#include "session/verify.h"

namespace ptxmc::session {

/// Runs a launch again whose claim is open, and that has such warnings alone, under the readings that allow
/// them. Notes the claim if that is about all schedules (claim::VerifyResult::waived). Notes of a proof
/// whether it rests on atomics that release what they acquired (claim::VerifyResult::relays).
void look_under_readings(const explore::VerificationTask& task, const VerifySettings& settings,
                         Verification& verification);

}  // namespace ptxmc::session

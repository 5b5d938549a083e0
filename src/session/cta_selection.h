// SPDX-License-Identifier: Apache-2.0
// Which CTAs of a launch run when none are named. All of a small one; of another those that do something of
// their own, and those that meet in global memory, which a run of CTAs without orders tells: of all of them,
// or of some, of which the others are moved copies.
#pragma once

#include <functional>

#include "dynamic/explore/task.h"
#include "input/launch/program.h"
#include "session/verify.h"

namespace ptxmc::session {

using ReadCtas = std::function<explore::VerificationTask(const launch::Choice&, launch::Beside&)>;

/// What may run at once, at most; of all CTAs.
launch::Choice widest_choice();
explore::VerificationTask choose_ctas(const ReadCtas& read, const VerifySettings& settings);

/// A launch, and what of it the program does not say; its inner maps and sizes are taken.
explore::VerificationTask task_of(litmus::Test launched, launch::Beside& beside);

}  // namespace ptxmc::session

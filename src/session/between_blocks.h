// SPDX-License-Identifier: Apache-2.0
// Whether a launch has anything to check between its blocks.
#pragma once

#include <optional>

#include "session/verify.h"

namespace ptxmc::session {

/// Do two blocks of the only launch access one byte of global memory, and one of them with a write or an atomic? Nothing: it is not known, as
/// there is one block, there are clusters, several launches or many blocks, or the run was cut or long. Runs the launch once more.
std::optional<bool> blocks_meet(const explore::VerificationTask& task, const Verification& verification);

}  // namespace ptxmc::session

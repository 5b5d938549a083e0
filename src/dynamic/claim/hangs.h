// SPDX-License-Identifier: Apache-2.0
// Which runs that end where no thread can continue are hangs.
#pragma once

#include <vector>

#include "dynamic/claim/verify_result.h"

namespace ptxmc::claim {

/// No thread can continue, and not because CTAs, or instructions with an error, were left out that would write what is polled.
bool hangs(const VerifyResult& verified);
/// The same of the run of VerifyResult::Elected::hang.
bool hangs_elsewhere(const VerifyResult& verified);
/// Every thread that polls does so by contents of memory that the launch does not give: a hang of theirs is a
/// warning.
bool is_guessed(const std::vector<exec::Waiting>& waiting);
/// An instruction with an error was not executed.
bool was_left_out(const VerifyResult& verified);

}  // namespace ptxmc::claim

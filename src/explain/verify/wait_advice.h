// SPDX-License-Identifier: Apache-2.0
// What to do about an asynchronous operation that nothing waits for: which wait is missing, beside what is there already.
#pragma once

#include "dynamic/claim/verify_result.h"
#include "explain/finding.h"

namespace ptxmc::explain {

/// How the first access of the finding is waited for, and by whom. Leaves other findings as they are.
void advise_waiting(const claim::VerifyResult& of, const trace::Finding& finding, Finding& out);

}  // namespace ptxmc::explain

// SPDX-License-Identifier: Apache-2.0
// Where no thread can continue: who came, who is missing and where they are, and what to do about it.
#pragma once

#include <vector>

#include "dynamic/claim/verify_result.h"
#include "explain/finding.h"

namespace ptxmc::explain {

/// Adds causes to the finding, and advice if it has none.
void explain_hang(const claim::VerifyResult& of, const std::vector<exec::Waiting>& all, Finding& out);

}  // namespace ptxmc::explain

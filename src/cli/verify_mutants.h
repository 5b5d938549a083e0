// SPDX-License-Identifier: Apache-2.0
// Runs a launch without a piece of its synchronization, each in turn; and where nothing is found then, without more of it,
// which says what stands for it.
#pragma once

#include <vector>

#include "cli/verify_subject.h"
#include "report/verify_mutants.h"

namespace ptxmc::cli {

std::vector<report::Mutant> run_mutants(const session::Subject& subject, const report::Verified& verified,
                                        kernel::Options limits);

}  // namespace ptxmc::cli

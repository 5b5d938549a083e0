// SPDX-License-Identifier: Apache-2.0
// Runs a launch without a piece of its synchronization, each in turn; and where nothing is found then, without more of it,
// which says what stands for it.
#pragma once

#include <vector>

#include "cli/verify_subject.h"
#include "explain/verify/mutants.h"

namespace ptxmc::cli {

std::vector<explain::Mutant> run_mutants(const session::Subject& subject, const explain::Verified& verified,
                                         kernel::Options limits);

}  // namespace ptxmc::cli

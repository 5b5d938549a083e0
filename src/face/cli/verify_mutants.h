// SPDX-License-Identifier: Apache-2.0
// `verify --mutate`: synchronization taken away from a launch, and what is found then.
#pragma once

#include <ostream>
#include <string>

#include "face/cli/verify_verb.h"
#include "session/verify.h"

namespace ptxmc::cli {

/// What every launch of a run with --mutate must not ask for as well. Throws InputError.
void refuse_with_mutants(const VerifyOptions& options);

/// `unchanged` is of the launch as it stands, by these settings. False: there was no time for some of it.
bool print_mutants(const std::string& input, const explore::VerificationTask& task,
                   const VerifyOptions& options, const session::VerifySettings& settings,
                   const session::Verification& unchanged, Streams& streams, std::ostream& out);

}  // namespace ptxmc::cli

// SPDX-License-Identifier: Apache-2.0
// What `verify` runs of its input: tests, and of a launch all CTAs, or those that are worth it.
#pragma once

#include <istream>
#include <vector>

#include "dynamic/explore/task.h"
#include "face/cli/inputs.h"
#include "face/cli/modules.h"
#include "face/cli/verify_verb.h"
#include "session/verify.h"

namespace ptxmc::cli {

/// What the options say of a run.
session::VerifySettings settings_of(const VerifyOptions& options);

/// One of a launch; of a file of tests each.
std::vector<explore::VerificationTask> read_subjects(const Input& input, const VerifyOptions& options,
                                                     const session::VerifySettings& settings,
                                                     std::istream& standard_input,
                                                     const Instead& instead = {});

}  // namespace ptxmc::cli

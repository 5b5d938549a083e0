// SPDX-License-Identifier: Apache-2.0
// One input of `verify`, in a process of its own: its tests or its launch, and what is known whenever that is cut.
#pragma once

#include <cstddef>
#include <string>

#include "face/cli/inputs.h"
#include "face/cli/streams.h"
#include "face/cli/verify_batch.h"
#include "face/cli/verify_verb.h"

namespace ptxmc::cli {

/// `number`: of the input, from 1. A test that cannot be run is no reason to leave out the others. Progress is shown on
/// `shown` where one input runs at a time.
void verify_input(const Input& input, std::size_t number, const VerifyOptions& options, Streams& shown,
                  const Telling& telling);

/// The report of an input that is cut before it has begun to run.
InputReport report_of_nothing(const std::string& input, const VerifyOptions& options, Cut cut);

}  // namespace ptxmc::cli

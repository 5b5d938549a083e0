// SPDX-License-Identifier: Apache-2.0
// The verb `record`: a program's launches, as files for `verify`.
#pragma once

#include <string>
#include <vector>

#include "face/cli/status.h"
#include "face/cli/streams.h"

namespace ptxmc::cli {

Status record_verb(const std::vector<std::string>& arguments, Streams& streams);

/// The folder of the driver that programs load while they are recorded: beside this program, or where it was installed. Throws
/// InputError: it is not there.
std::string recording_folder();

}  // namespace ptxmc::cli

// SPDX-License-Identifier: Apache-2.0
// launch.json: a module and its launches, in one file.
#pragma once

#include <string_view>

#include "input/launch/launch.h"

namespace ptxmc::launch {

/// Throws InputError with every error of the file.
Plan read_plan(const SourcePtr& source);

/// Is this the name of such a file?
bool is_plan_name(std::string_view file);

}  // namespace ptxmc::launch

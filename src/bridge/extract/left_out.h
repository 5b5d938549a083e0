// SPDX-License-Identifier: Apache-2.0
// What a slice leaves out of the run's other schedules. Where it leaves something out, a race that its litmus test does not
// have may still occur in the program.
#pragma once

#include <optional>
#include <string_view>

#include "bridge/extract/slice.h"

namespace ptxmc::extract {

/// Nothing: the litmus test has all of it. Else the reason, as the rest of "not confirmed: ...".
std::optional<std::string_view> left_out(const Log& log, const Ends& ends, const Slice& slice);

}  // namespace ptxmc::extract

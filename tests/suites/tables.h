// SPDX-License-Identifier: Apache-2.0
// Small tables of text.
#pragma once

#include <string>
#include <vector>

namespace ptxmc::testing {

/// A line of comma-separated fields; "..." may hold commas, "" is a quote in it.
std::vector<std::string> csv_fields(const std::string& line);
/// Lines that are neither empty nor comments.
std::vector<std::string> lines_of(const std::string& text);

}  // namespace ptxmc::testing

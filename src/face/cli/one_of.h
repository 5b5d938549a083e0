// SPDX-License-Identifier: Apache-2.0
// Options that take one of some names; internal to src/face/cli.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace ptxmc::cli {

/// One of the names. Another word is an error that has the names, and the one that was probably meant.
CLI::Validator one_of(std::vector<std::string> names);

}  // namespace ptxmc::cli

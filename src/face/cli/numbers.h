// SPDX-License-Identifier: Apache-2.0
// What options take that are numbers; internal to src/face/cli. A wrong one is an error that names the option, says what it takes,
// and has an example.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>

namespace ptxmc::cli {

constexpr std::int64_t kAnyCount = std::int64_t{1} << 53;

/// A whole number, in decimal.
CLI::Validator whole_number(std::int64_t least, std::int64_t most, std::int64_t example);
/// A number of seconds above 0.
CLI::Validator seconds();

}  // namespace ptxmc::cli

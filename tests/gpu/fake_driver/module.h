// SPDX-License-Identifier: Apache-2.0
// What the fake driver reads in a module's text; internal to the fake driver.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ptxmc::fake {

enum class Trouble : std::uint8_t { none, endless, fault, blocked, jit, lossy, killed };

/// "N instances a block, V values of B bits" of the comment that names the test, and the entries' parameters.
struct Program {
  std::string test;
  unsigned instances = 0, values = 0, bits = 64;
  std::vector<std::string> entries;
  std::vector<std::string> parameters;  ///< of each: names without "ptxmc_", in order
};

/// Nothing when it is no module of `ptxmc run`.
std::optional<Program> read_program(const std::string& ptx);

/// From the environment, for this test. A kind that there is not ends the process: a test would test nothing.
Trouble trouble_of(const std::string& test);

/// A number of the environment.
int setting(const char* name, int otherwise);

}  // namespace ptxmc::fake

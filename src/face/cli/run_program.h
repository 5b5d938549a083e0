// SPDX-License-Identifier: Apache-2.0
// Programs of the system that ptxmc runs, and what they print.
#pragma once

#include <string>
#include <vector>

namespace ptxmc::cli {

struct ProgramRun {
  int status = 0;      ///< of waitpid; 0: it ended well
  std::string output;  ///< on standard output and error, its first 64 kB
};

/// Runs a program, with nothing to read. Throws InputError: it cannot be run.
ProgramRun run_program(const std::vector<std::string>& words);

/// Runs a program with the standard streams of this one. Returns the status of waitpid. Throws InputError: it cannot be run.
int run_attached(const std::vector<std::string>& words);

/// A program on PATH; empty: it is not there.
std::string find_program(const std::string& name);

}  // namespace ptxmc::cli

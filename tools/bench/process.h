// SPDX-License-Identifier: Apache-2.0
// Running a program and measuring it as a whole: time, processor time, peak memory.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace ptxmc::bench {

struct Measured {
  double wall = 0;         ///< seconds
  double cpu = 0;          ///< seconds, user and system
  double megabytes = 0;    ///< peak resident memory
  int status = 0;          ///< exit status; 128 + N: ended by signal N
  bool timed_out = false;  ///< killed at the limit
  std::string output;      ///< standard output, or as much of it as is kept; standard error is dropped
};

/// Runs `command` (a path and its arguments); after `limit` seconds it is killed. Throws std::system_error
/// when it cannot be started at all.
Measured measure(const std::vector<std::string>& command, double limit, std::size_t kept = ~std::size_t{0});

/// Runs `work` in a child process and returns what it returns, so that its memory does not count as this
/// process's own. Throws std::runtime_error when the child does not end well.
std::string in_child(const std::function<std::string()>& work);

}  // namespace ptxmc::bench

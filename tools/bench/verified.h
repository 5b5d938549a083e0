// SPDX-License-Identifier: Apache-2.0
// The cost of `ptxmc verify`: instructions of lanes a second with all checks on, and of the interpreter alone.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "process.h"

namespace ptxmc::bench {

/// A kernel, launched with a number of iterations as its last argument.
struct VerifiedKernel {
  std::string name;
  std::vector<std::string> launch;  ///< options of `ptxmc verify`, but for that argument
  std::vector<unsigned> iterations;
};

/// Those of kernels/kernels.ptx.
const std::vector<VerifiedKernel>& verified_kernels();

struct VerifiedRun {
  double instructions = 0;  ///< of lanes
  double seconds = 0;       ///< of the run alone: the best of three
  double megabytes = 0;     ///< of the process
  double rate() const { return instructions / seconds; }
};

/// Nothing: it is refused, or not done within the limit.
std::optional<VerifiedRun> run_verified(const std::string& program, const std::vector<std::string>& arguments,
                                        bool orders, double limit);

/// The slope of log(seconds) over log(size), by least squares: 1 is linear. Points: size, seconds.
double slope(const std::vector<std::pair<double, double>>& points);

/// Folders below `folder` that hold a launch.json.
std::vector<std::string> find_launches(const std::string& folder);

}  // namespace ptxmc::bench

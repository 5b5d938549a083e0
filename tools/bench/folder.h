// SPDX-License-Identifier: Apache-2.0
// Measuring a folder of tests under one engine: each test as a process, each test in process, and all in one
// process.
#pragma once

#include <string>
#include <vector>

#include "face/cli/settings.h"

namespace ptxmc::bench {

struct Workload {
  std::string name;  ///< how the tables call it: "litmus"
  std::string folder;
  session::Settings settings;          ///< model, bounds; engine and recheck are set by the measurement
  std::vector<std::string> arguments;  ///< the same on the command line of `ptxmc check`
};

/// Seconds over the tests of a folder.
struct Spread {
  double median = 0;
  double worst = 0;
  double sum = 0;
};

struct FolderResult {
  std::size_t tests = 0;
  Spread process;        ///< processor time of `ptxmc check TEST`
  Spread inside;         ///< the best of three checks of a test in this process, parsing included
  double together = 0;   ///< processor seconds of one `ptxmc check FOLDER`, one job
  double megabytes = 0;  ///< peak memory of that run
  /// sum over the tests of the explicit engine's candidates; 0: that engine did not run
  double candidates = 0;
  std::size_t failures = 0;  ///< tests that the in-process runs could not check
};

/// Processor seconds of one `ptxmc check FOLDER` of two binaries, one job: the best of several runs that take
/// turns, so that what else the machine does meets both.
struct Comparison {
  double now = 0;
  double before = 0;
};

/// Throws std::runtime_error when one of them cannot check the tests.
Comparison compare_folder(const std::string& program, const std::string& reference, const Workload& workload,
                          const std::string& engine, bool recheck, double limit);

/// `program` is the ptxmc binary; `engine` as on the command line.
FolderResult measure_folder(const std::string& program, const Workload& workload, const std::string& engine,
                            double limit);

}  // namespace ptxmc::bench

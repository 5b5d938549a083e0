// SPDX-License-Identifier: Apache-2.0
// Logs of runs: the herd family's histogram text, and a line of JSON.
#pragma once

#include <string>

#include "gpu/driver/driver.h"
#include "gpu/run/runner.h"
#include "ptx/program/program.h"

namespace ptxmc::gpu {

/// What a log says besides the outcomes.
struct RunRecord {
  std::string file;     ///< as the user named the test
  std::string hash;     ///< of the test's meaning
  std::string command;  ///< that repeats the run
  DeviceInfo device;
  RunOptions options;
  unsigned gpus = 1;    ///< that played the test together; 0: the CPU alone
  unsigned hosts = 0;   ///< threads of the host that did
  std::string id = {};  ///< of this run among all: logs that share it are not added up; empty: none
};

/// How often the condition held and did not, among outcomes that the filter keeps.
struct Tallies {
  std::uint64_t positive = 0, negative = 0;
};
Tallies tally(const Observation& observation, const Histogram& histogram);

/// "Test MP Allowed\nHistogram (3 states)\n...".
std::string log_text(const program::Program& test, const Observation& observation, const Histogram& histogram,
                     const RunRecord& record);
/// One line, with its end.
std::string log_json(const program::Program& test, const Observation& observation, const Histogram& histogram,
                     const RunRecord& record);

}  // namespace ptxmc::gpu

// SPDX-License-Identifier: Apache-2.0
// Runs a program with the recording driver, and listens to it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "input/record/recorder.h"

namespace ptxmc::record {

/// How the program ended.
struct ProgramEnd {
  int status = 0;  ///< its exit status
  int signal = 0;  ///< or the signal that ended it
};

/// Runs `command` with the driver of `driver_folder` first on the library path, until it ends and those that it started
/// and that use the driver have ended. `stop` is asked now and then: true ends the program. Throws InputError: it cannot be
/// run.
ProgramEnd run_recorded(const std::vector<std::string>& command, const std::string& driver_folder,
                        const RecordOptions& options, Writing& writing, const std::function<bool()>& stop);

/// The driver that programs find without ours; empty: none.
std::string installed_driver();

}  // namespace ptxmc::record

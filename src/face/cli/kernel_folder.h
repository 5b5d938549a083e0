// SPDX-License-Identifier: Apache-2.0
// A folder as `verify` takes it: launches, modules that none of them names, and tests.
#pragma once

#include <string>
#include <vector>

#include "face/cli/inputs.h"

namespace ptxmc::cli {

/// Is it a file of launches: JSON with a "module", and what is launched of it?
bool is_launch_file(const std::string& file);

/// Does the folder hold launches or modules, and no test?
bool holds_kernels_alone(const std::string& folder);

struct KernelFolder {
  std::vector<Input> inputs;  ///< by path; or one with what is wrong with the folder
  std::string note;           ///< a line: how many of each were taken, and what was left
};
/// Never throws.
KernelFolder kernel_folder(const std::string& folder);

}  // namespace ptxmc::cli

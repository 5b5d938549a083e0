// SPDX-License-Identifier: Apache-2.0
// A folder as `verify` takes it: launches, modules that none of them names, and tests.
#pragma once

#include <string>
#include <vector>

#include "face/cli/inputs.h"

namespace ptxmc::cli {

/// Is it a file of launches: JSON with a "module", and what is launched of it?
bool is_launch_file(const std::string& file);

/// The CUDA source that a file of launches names as its module, as a path; empty: it names none.
std::string cuda_module_of(const std::string& file);

/// Files of launches in the folder of a CUDA source that name it, or the `.ptx` of its name, as their module; by path.
std::vector<std::string> launches_beside(const std::string& source);

/// Does the folder hold launches or modules?
bool holds_kernels(const std::string& folder);

/// Lines about launches and modules in those of the files that are folders, of which the tests alone are taken.
std::string kernels_left(const std::vector<std::string>& files);

struct KernelFolder {
  std::vector<Input> inputs;  ///< by path; or one with what is wrong with the folder
  std::string note;           ///< a line: how many of each were taken, and what was left
};
/// Never throws.
KernelFolder kernel_folder(const std::string& folder);

}  // namespace ptxmc::cli

// SPDX-License-Identifier: Apache-2.0
// What `verify` takes beside texts of modules, launches and tests: CUDA sources, which are compiled; programs, libraries and object
// files, of which the PTX is taken out; folders.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "face/cli/inputs.h"
#include "face/cli/nvcc.h"
#include "input/launch/command_line.h"

namespace ptxmc::cli {

/// Is one of these words a file with kernels, and none a litmus test? Then `verify` is meant where no verb is named.
bool names_kernels(const std::vector<std::string>& arguments);

struct KernelInputs {
  std::vector<Input> inputs;
  std::string notes;  ///< lines: how sources were compiled, where PTX was found, what a folder has
};

/// Files of launches beside CUDA sources that no words launch.
enum class LaunchesBeside : std::uint8_t {
  unread,    ///< the source stands for its module
  taken,     ///< it stands for them, if there are some
  required,  ///< it is left out if there are none
};

/// Arguments in order, as expand_inputs() has them. A file with several modules stands for those that hold the kernel of the launch.
/// What is wrong with one is its `error`. Never throws.
KernelInputs kernel_inputs(const std::vector<std::string>& arguments, const NvccOptions& options,
                           const launch::Words& launch, LaunchesBeside beside = LaunchesBeside::taken);

}  // namespace ptxmc::cli

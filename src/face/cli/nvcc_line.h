// SPDX-License-Identifier: Apache-2.0
// A command line of nvcc as build systems write it, and what makes PTX of the same sources in the same way.
#pragma once

#include <string>
#include <vector>

#include "face/cli/nvcc.h"

namespace ptxmc::cli {

struct NvccLine {
  std::vector<std::string> words;    ///< to run; its first is the compiler, a path or a name
  std::vector<std::string> sources;  ///< CUDA sources among them
  /// How PTX is made of each: for the newest architecture that the line names, with its flags but for those about outputs.
  NvccOptions ptx;
};

/// `words`: a line with the compiler, as CMake's launchers get it, or without.
NvccLine read_nvcc_line(const std::vector<std::string>& words);

}  // namespace ptxmc::cli

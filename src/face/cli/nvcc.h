// SPDX-License-Identifier: Apache-2.0
// CUDA sources compiled to PTX by the nvcc of this machine.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "face/cli/architecture.h"
#include "support/source.h"

namespace ptxmc::cli {

/// How a CUDA source is compiled.
struct NvccOptions {
  std::optional<Architecture> target;  ///< -arch; nothing: sm_90a, unless a flag names one
  std::vector<std::string> flags;      ///< after those of ours
  std::optional<std::string> nvcc;     ///< the compiler, or empty: there is none; nothing: find_nvcc()
};

/// A program of the CUDA toolkit on PATH, else in /usr/local/cuda/bin; empty: it is not there.
std::string find_cuda_program(const std::string& name);
inline std::string find_nvcc() {
  return find_cuda_program("nvcc");
}

struct CompiledCuda {
  SourcePtr ptx;         ///< named as nvcc names it: X.ptx beside X.cu
  std::string command;   ///< that makes that file, for a shell
  std::string messages;  ///< of nvcc; may be empty
};

/// Throws InputError: there is no nvcc, with what to do; or it fails, with what it says.
CompiledCuda compile_cuda(const std::string& file, const NvccOptions& options);

/// Does the text of a CUDA source define a `main`? Comments, strings and directives are skipped.
bool defines_main(std::string_view text);

}  // namespace ptxmc::cli

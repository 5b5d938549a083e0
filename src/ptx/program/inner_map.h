// SPDX-License-Identifier: Apache-2.0
// Tensor maps among other fields of a variable, as parameters of kernels have them: what a Program cannot say, and the
// exact engines do not take.
#pragma once

#include <cstdint>
#include <string>

#include "ptx/program/memory.h"

namespace ptxmc::program {

struct InnerMap {
  std::string variable;
  std::uint64_t offset = 0;  // bytes
  TensorMap map;
};

}  // namespace ptxmc::program

// SPDX-License-Identifier: Apache-2.0
// Contents of global memory that a program leaves open, for a run in which they are not 0.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/events.h"

namespace ptxmc::kernel {

/// Of the words of global memory of which the program says nothing, if they are no more than kMostFilled bytes.
struct Contents {
  std::uint32_t word = 0;
  bool alternate = false;            // each second word has it, from the second on; the others are 0
  std::vector<trace::Address> zero;  // an address of each variable that is 0 all the same
};

constexpr std::uint64_t kMostFilled = std::uint64_t{64} << 20U;

}  // namespace ptxmc::kernel

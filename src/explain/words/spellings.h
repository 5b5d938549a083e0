// SPDX-License-Identifier: Apache-2.0
// What instructions of PTX are called in CUDA C++ and in CUTLASS.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ptxmc::explain {

struct Spelling {
  std::string_view ptx;      ///< "fence.proxy.async", without what may follow
  std::string_view cuda;     ///< a call; empty: there is none but asm
  std::string_view cutlass;  ///< of CUTLASS or CuTe; empty: there is none
};

/// A longer name before the one that it begins with.
std::span<const Spelling> spellings();

/// The calls for the instructions that a text names, in their order, each once. What the text names itself is left out.
struct Calls {
  std::vector<std::string> cuda, cutlass;
};
Calls calls_for(std::string_view text);
/// The same of a finding's advice.
Calls calls_for(const std::vector<std::string>& advice);

}  // namespace ptxmc::explain

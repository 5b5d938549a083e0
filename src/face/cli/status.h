// SPDX-License-Identifier: Apache-2.0
// Exit status of the program.
#pragma once

#include <cstdint>

namespace ptxmc::cli {

/// The values are the process's exit status.
enum class Status : std::uint8_t {
  ok = 0,       ///< also `No` without a stated verdict
  unmet = 1,    ///< a stated `Verdict=` is not met
  input = 2,    ///< usage or input error
  unknown = 3,  ///< some answer is unknown
  failure = 4,  ///< the engines disagree, a witness fails its re-check, or an internal error
};

/// The one of two that decides: failure, input, unmet, unknown, ok.
constexpr Status worse(Status a, Status b) {
  constexpr std::uint8_t kRank[] = {0, 2, 3, 1, 4};  // by value of Status
  return kRank[static_cast<int>(a)] >= kRank[static_cast<int>(b)] ? a : b;
}

}  // namespace ptxmc::cli

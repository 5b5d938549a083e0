// SPDX-License-Identifier: Apache-2.0
// A long list of states: its text is put together from pieces that are made once for each value.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>
#include <vector>

#include "axiomatic/engine/packed.h"

namespace ptxmc::report {

struct StatePieces {
  std::vector<std::vector<std::string>> values;  ///< per observable, per value of its domain
  std::string separator;                         ///< between two states
  std::string begin;                             ///< of a state
  std::string satisfied, not_satisfied;          ///< its end
};

/// On up to `jobs` threads, in order.
void write_states(std::ostream& out, const engine::PackedStates& states, const StatePieces& pieces,
                  std::size_t jobs);

}  // namespace ptxmc::report

// SPDX-License-Identifier: Apache-2.0
// Where the ways of a code go on to, and where those that part come together again.
#pragma once

#include <vector>

#include "dynamic/exec/ways.h"

namespace ptxmc::exec {

constexpr std::size_t kNoMeeting = ~std::size_t{0};

struct Flow {
  Graph next;                         // by step, those that may follow it; after the last one the end
  std::vector<std::size_t> meetings;  // where all ways from it come together first; kNoMeeting: it never ends
};

Flow flow_of(const Code& code);

}  // namespace ptxmc::exec

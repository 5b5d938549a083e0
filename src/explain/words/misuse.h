// SPDX-License-Identifier: Apache-2.0
// Misuse of mbarrier objects and cluster barriers (9.7.12.15, 9.7.12.3), in a user's words.
#pragma once

#include <optional>
#include <string>

#include "axiomatic/event/execution.h"

namespace ptxmc::explain {

struct MisuseWords {
  std::string why;     ///< "P0 line 9: more arrivals than the phase has pending"
  std::string remedy;  ///< what to do about it
};

/// What an execution does wrong with a barrier; nothing when it does not, or when that takes long to find out.
std::optional<MisuseWords> misuse_words(const event::ProgramGraph& graph, const event::Execution& execution);

}  // namespace ptxmc::explain

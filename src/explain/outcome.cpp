// SPDX-License-Identifier: Apache-2.0
#include "explain/outcome.h"

namespace ptxmc::explain {

std::optional<std::size_t> deciding_state(const event::ProgramGraph& graph, const engine::Result& result) {
  const bool wanted = graph.goal != event::Goal::forall;
  if (result.packed) return result.packed->first(wanted).value_or(0);
  for (std::size_t i = 0; i < result.states.size(); ++i) {
    if (result.states[i].satisfied == wanted) return i;
  }
  return result.states.empty() ? std::nullopt : std::optional<std::size_t>(0);
}

}  // namespace ptxmc::explain

// SPDX-License-Identifier: Apache-2.0
// Events in words, for messages and graphs.
#pragma once

#include <string>

#include "axiomatic/event/program_graph.h"

namespace ptxmc::check {

/// "event 4 (P1: ld.acquire.gpu.u32 %r0, [flag])", "event 0 (initial write of x)".
std::string describe(const event::ProgramGraph& graph, event::EventId e);

}  // namespace ptxmc::check

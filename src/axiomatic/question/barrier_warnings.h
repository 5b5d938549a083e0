// SPDX-License-Identifier: Apache-2.0
// What is likely a mistake in the use of barriers, though no execution need show it.
#pragma once

#include <string>
#include <vector>

#include "axiomatic/event/program_graph.h"
#include "support/budget.h"

namespace ptxmc::check {

/// mbarrier objects that expect more arrivals than the program makes (a thread that stands for a warp arrives
/// once), and those with a phase that no thread observes before the arrivals of the next (9.7.12.15.4, R197).
/// What there is no time to find out is no warning.
std::vector<std::string> mbarrier_warnings(const event::ProgramGraph& graph, const Budget& budget = {});

/// Membermasks that name a lane which does not come there: it has exited, and counts as arrived (D40).
std::vector<std::string> exited_lanes(const event::ProgramGraph& graph);

}  // namespace ptxmc::check

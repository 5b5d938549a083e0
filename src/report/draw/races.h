// SPDX-License-Identifier: Apache-2.0
// Races as graphs.
#pragma once

#include <string>

#include "check/races.h"
#include "report/reporter.h"

namespace ptxmc::report {

/// A graph a finding: its execution, with the flag's edge.
std::string race_graphs(const FindingReport& report, const check::RaceReport& races);

}  // namespace ptxmc::report

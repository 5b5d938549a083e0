// SPDX-License-Identifier: Apache-2.0
// What `ptxmc races` has besides its findings (reporter.h): answers and graphs.
#pragma once

#include <string>
#include <string_view>

#include "check/races.h"
#include "report/judgement.h"
#include "report/reporter.h"

namespace ptxmc::report {

enum class RaceAnswer : std::uint8_t { racy, race_free, unknown };
/// "Racy"
std::string_view name_of(RaceAnswer answer);

/// What is known of each flag of the model, and of the misuses that lowering found.
std::vector<FlagOutcome> flags_of(const relation::MemoryModel& model, const check::RaceReport& races,
                                  const std::vector<check::Undefined>& misuses, bool open);

/// A graph a finding: its execution, with the flag's edge.
std::string race_graphs(const FindingReport& report, const check::RaceReport& races);

}  // namespace ptxmc::report

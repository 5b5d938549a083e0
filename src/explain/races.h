// SPDX-License-Identifier: Apache-2.0
// What `ptxmc races` has besides its findings (finding.h): answers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "axiomatic/question/races.h"
#include "axiomatic/question/undefined.h"
#include "explain/judgement.h"

namespace ptxmc::explain {

enum class RaceAnswer : std::uint8_t { racy, race_free, unknown };
/// "Racy"
std::string_view name_of(RaceAnswer answer);

/// What is known of each flag of the model, and of the misuses that lowering found.
std::vector<FlagOutcome> flags_of(const relation::MemoryModel& model, const check::RaceReport& races,
                                  const std::vector<check::Undefined>& misuses, bool open);

}  // namespace ptxmc::explain

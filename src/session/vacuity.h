// SPDX-License-Identifier: Apache-2.0
// Does a test say anything at all?
#pragma once

#include <string>

#include "axiomatic/engine/engine.h"
#include "axiomatic/engine/specialise.h"
#include "explain/judgement.h"
#include "session/settings.h"

namespace ptxmc::session {

struct FoundVacuity {
  explain::Vacuity kind = explain::Vacuity::none;
  std::string open = {};  ///< why `none` is not certain: engine::Result::unknown; empty: it is
};
/// "whether there is any execution was left open: effort"
std::string open_vacuity(const FoundVacuity& vacuity);

/// Whether no execution is consistent, or none meets the filter, given a complete answer to `query`. Asks
/// nothing when a state was found; one question more when none was (a second one for a vacuous test with a
/// filter). What a bounded search leaves open counts as not vacuous, and says why. `specialiser` as of `decide`.
FoundVacuity find_vacuity(const engine::Query& query, const engine::Result& result, EngineChoice engine,
                          const engine::Specialiser* specialiser = nullptr);

}  // namespace ptxmc::session

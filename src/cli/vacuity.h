// SPDX-License-Identifier: Apache-2.0
// Does a test say anything at all?
#pragma once

#include "cli/settings.h"
#include "engine/engine.h"
#include "engine/specialise.h"
#include "report/judgement.h"

namespace ptxmc::cli {

/// Whether no execution is consistent, or none meets the filter, given a complete answer to `query`. Asks
/// nothing when a state was found; one question more when none was (a second one for a vacuous test with a
/// filter). What a bounded search leaves open counts as not vacuous. `specialiser` as of `decide`.
report::Vacuity find_vacuity(const engine::Query& query, const engine::Result& result, EngineChoice engine,
                             const engine::Specialiser* specialiser = nullptr);

}  // namespace ptxmc::cli

// SPDX-License-Identifier: Apache-2.0
// The condition's answer where the list of states stays incomplete.
#pragma once

#include "session/analysis.h"

namespace ptxmc::session {

/// For the list of states: half of what is left, so that a list that does not end leaves time for the condition
/// alone.
Budget budget_to_list(const Budget& budget, engine::Ask ask);

/// Asks for the condition alone, as `--verdict` does, where an incomplete list of states leaves it open, and
/// for the other side where `stated` speaks of that. A state that is found joins the list; what has none is
/// returned.
explain::Excluded decide_condition(const Session& session, const litmus::Verdict* stated, Analysis& analysis);

}  // namespace ptxmc::session

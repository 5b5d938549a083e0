// SPDX-License-Identifier: Apache-2.0
// The witness of the state that answers the condition (explain::deciding_state).
#pragma once

#include "session/analysis.h"

namespace ptxmc::session {

/// Where an engine kept few witnesses and that is none of them, it is asked for this state alone. If states
/// are packed, it is then the only one in Result::states; there is none where time was too short.
void find_decisive_witness(const Session& session, Analysis& analysis);

}  // namespace ptxmc::session

// SPDX-License-Identifier: Apache-2.0
// What a test's file states of it: `Verdict[MODEL,NAME=VALUE]=...`.
#pragma once

#include "session/analysis.h"

namespace ptxmc::session {

/// Throws InputError, with its place, for a stated reading that does not exist, is a default, or is named
/// twice, and for a stated finding that is neither a rule's nor a flag's of the session's model.
void check_stated_verdict(const Session& session, const litmus::Test& test);

}  // namespace ptxmc::session

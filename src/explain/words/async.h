// SPDX-License-Identifier: Apache-2.0
// What is wrong with an asynchronous operation, in a user's words.
#pragma once

#include <string>
#include <vector>

#include "axiomatic/question/races.h"

namespace ptxmc::explain {

/// "missing-wait", for JSON.
std::string_view name_of(check::AsyncStory::Kind kind);
/// The class of the race, as the headline of a finding has it.
std::string_view describe(check::AsyncStory::Kind kind);
/// "The copy in P0 line 9 reads [s] through the async proxy; the store in P0 line 8 is generic; no
/// fence.proxy.async stands between them."
std::string why(const event::ProgramGraph& graph, const check::AsyncStory& story,
                check::AsyncStory::Kind kind);
/// What to do about it.
std::string remedy(const event::ProgramGraph& graph, const check::AsyncStory& story,
                   check::AsyncStory::Kind kind);

}  // namespace ptxmc::explain

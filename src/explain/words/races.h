// SPDX-License-Identifier: Apache-2.0
// Races in words: what is missing, and what to do about it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "axiomatic/question/races.h"

namespace ptxmc::explain {

/// "scope-too-narrow": for JSON.
std::string_view name_of(check::Missing missing);
/// "a scope is too narrow": for people.
std::string_view describe(check::Missing missing);

/// The narrowest scope that includes the threads of both events.
isa::Scope common_scope(const event::ProgramGraph& graph, event::EventId a, event::EventId b);
/// "P0 line 7", "P0 line 7 (kernel.cu:88)", or "initial write of x".
std::string place_of(const event::ProgramGraph& graph, event::EventId e);

/// One sentence each, without a full stop; what the finding's diagnosis asks for.
std::vector<std::string> advice(const event::ProgramGraph& graph, const check::Finding& finding);

}  // namespace ptxmc::explain

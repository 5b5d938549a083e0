// SPDX-License-Identifier: Apache-2.0
// Do two engines agree on one query?
#pragma once

#include <string>
#include <vector>

#include "axiomatic/engine/engine.h"

namespace ptxmc::check {

/// Differences between two answers to the same query, in words; empty: they agree. States are compared where
/// both are complete; where one is not, what it found must still be states of the other, if that one is
/// complete (and no value rests on terms). For Ask::verdict and Ask::flag engines may find different states; only whether one was found is
/// compared.
std::vector<std::string> differences(const engine::Query& query, const std::string& first_name,
                                     const engine::Result& first, const std::string& second_name,
                                     const engine::Result& second);

/// "1:r0=0; [x]=1;" with plain signed numbers.
std::string describe_state(const event::ProgramGraph& graph, const engine::State& state);

}  // namespace ptxmc::check

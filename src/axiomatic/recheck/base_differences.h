// SPDX-License-Identifier: Apache-2.0
// The table of base sets and relations against their naive definitions.
#pragma once

#include <string>
#include <vector>

#include "axiomatic/event/base.h"
#include "axiomatic/event/program_graph.h"
#include "model/relation/signature.h"

namespace ptxmc::check {

/// Where the values of the table (axiomatic/event/base.h) are not what the definitions here say, or a fixed row has
/// none; a sentence a row, with one event or pair. Empty: they agree. The table may leave out a pair of po
/// whose guards exclude each other.
std::vector<std::string> base_differences(const event::ProgramGraph& graph, const event::BaseValues& base,
                                          const relation::Signature& signature);

}  // namespace ptxmc::check

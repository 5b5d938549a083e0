// SPDX-License-Identifier: Apache-2.0
// The text of a test, each instruction linked with its events.
#pragma once

#include <set>
#include <string>

#include "axiomatic/event/program_graph.h"
#include "input/litmus/test.h"

namespace ptxmc::report {

/// A card; empty: the text is not there. `marked`: numbers of lines that stand out.
std::string source_html(const litmus::Test& test, const std::string& file, const event::ProgramGraph& graph,
                        const std::set<std::uint32_t>& marked);

}  // namespace ptxmc::report

// SPDX-License-Identifier: Apache-2.0
// The text of a test, each instruction linked with its events.
#pragma once

#include <map>
#include <set>
#include <string>

#include "axiomatic/event/program_graph.h"
#include "input/litmus/test.h"
#include "support/source.h"

namespace ptxmc::report {

/// A card; empty: the text is not there. `marked`: numbers of lines that stand out.
std::string source_html(const litmus::Test& test, const std::string& file, const event::ProgramGraph& graph,
                        const std::set<std::uint32_t>& marked);

/// A whole file, closed until it is clicked. `hits`: lines that stand out, with what is said of them. At most 5,000 lines, those around
/// the hits.
std::string listing_html(const Source& file, const std::map<std::uint32_t, std::string>& hits);

}  // namespace ptxmc::report

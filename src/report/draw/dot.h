// SPDX-License-Identifier: Apache-2.0
// An execution as a Graphviz graph.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "explain/outcome.h"

namespace ptxmc::report {

/// The witness of the deciding state (see outcome.h): events in a box for each thread, with program order,
/// reads-from, coherence and from-reads; and, for each name in `shown`, that definition of the model or base
/// relation as labelled edges (a set: as a mark on its events). Without a state, a graph that says so. Throws
/// InputError for a name that neither the model nor the base signature has.
std::string dot_graph(const explain::Outcome& outcome, const std::vector<std::string>& shown);

/// A text as Graphviz reads it: in quotation marks, a line's end as \n.
std::string dot_string(std::string_view text);

}  // namespace ptxmc::report

// SPDX-License-Identifier: Apache-2.0
// An explanation in words.
#pragma once

#include <string>
#include <vector>

#include "report/explain.h"
#include "report/outcome.h"

namespace ptxmc::report {

/// One line of a derivation: an arrow between two events, or what an event is.
struct Line {
  int level = 0;  ///< 0: of the cycle itself; deeper: why
  std::string text;
};

/// The lines of a chain, `depth` levels deep (1: the chain alone).
std::vector<Line> lines_of(const event::ProgramGraph& graph, const event::Execution& execution,
                           const Chain& chain, int depth);

/// "Causality (8.10.6)".
std::string title_of(const Violation& violation);
/// "Forbidden under ptx-9 by Causality (8.10.6)".
std::string headline(const Outcome& outcome, const Explanation& explanation);
/// "An execution with this outcome that violates Causality alone; its cycle:".
std::string lead_of(const Violation& violation);

/// What introduces Explanation::state: "An execution that satisfies every axiom:".
std::string state_lead(const Explanation& explanation);

std::string explain_text(const Outcome& outcome, const Explanation& explanation, int depth);

}  // namespace ptxmc::report

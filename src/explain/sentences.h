// SPDX-License-Identifier: Apache-2.0
// Derivations and explanations in sentences, whatever format they end up in.
#pragma once

#include <string>
#include <vector>

#include "axiomatic/event/program_graph.h"
#include "explain/explain.h"
#include "explain/outcome.h"

namespace ptxmc::explain {

/// A step down to what it consists of while that is a single step between the same events: cause, pp, bc.
/// The outermost first; never empty; pointers into `step`.
std::vector<const Step*> unwrapped(const Step& step);

/// What an arrow is labelled with: "causality order: base causality 8.9.5", "release pattern 8.8(1)",
/// "reads-from, morally strong 8.7". `innermost` of unwrapped(step) is what the steps below explain.
std::string arrow_text(const event::ProgramGraph& graph, const Step& step);

/// One line of a derivation: an arrow between two events, or what an event is.
struct Line {
  int level = 0;  ///< 0: of the cycle itself; deeper: why
  std::string text;
  event::EventId from = event::kNoEvent, to = event::kNoEvent;  ///< the same where it says what an event is
};

/// The lines of a chain, `depth` levels deep (1: the chain alone).
std::vector<Line> lines_of(const event::ProgramGraph& graph, const event::Execution& execution,
                           const Chain& chain, int depth);

/// "Causality (8.10.6)".
std::string title_of(const Violation& violation);
/// "Forbidden under ptx-9.4 by Causality (8.10.6)".
std::string headline(const Outcome& outcome, const Explanation& explanation);
/// "An execution with this outcome that violates Causality alone; its cycle:".
std::string lead_of(const Violation& violation);

/// What introduces Explanation::state: "An execution that satisfies every axiom:".
std::string state_lead(const Explanation& explanation);

}  // namespace ptxmc::explain

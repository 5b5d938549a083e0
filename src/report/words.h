// SPDX-License-Identifier: Apache-2.0
// The manual's words for the names that a PTX model text uses. A name without a row speaks for itself.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "event/program_graph.h"
#include "report/derivation.h"

namespace ptxmc::report {

/// How a relation is drawn and told.
enum class Role : std::uint8_t {
  edge,    ///< an edge of its own
  path,    ///< a path: shown by the edges that it is made of
  silent,  ///< as a condition not worth a word
};
Role role_of(const std::string& name);

/// "release pattern" for `relpat`; the name itself where there is no better.
std::string words_of(const std::string& name);

/// The first number of a section list: "8.9.5" of "8.9.5, D10".
std::string first_section(const std::string& section);

/// A step down to what it consists of while that is a single step between the same events: cause, pp, bc.
/// The outermost first; never empty; pointers into `step`.
std::vector<const Step*> unwrapped(const Step& step);

/// What an arrow is labelled with: "causality order: base causality 8.9.5", "release pattern 8.8(1)",
/// "reads-from, morally strong 8.7". `innermost` of unwrapped(step) is what the steps below explain.
std::string arrow_text(const event::ProgramGraph& graph, const Step& step);

}  // namespace ptxmc::report

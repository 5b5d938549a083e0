// SPDX-License-Identifier: Apache-2.0
// One self-contained page: no script, no file beside it.
#pragma once

#include <string>

#include "explain/explain.h"
#include "explain/outcome.h"

namespace ptxmc::report {

/// What stands before and after the sections of the tests.
std::string html_head();
std::string html_tail();

/// One test: its text, its states, what is said about its condition, and the pictures side by side. Without
/// an explanation the picture is that of the deciding state. `depth` as in explain_text().
std::string html_section(const explain::Outcome& outcome, const explain::Explanation* explanation, int depth);

}  // namespace ptxmc::report

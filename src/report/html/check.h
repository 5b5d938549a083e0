// SPDX-License-Identifier: Apache-2.0
// Sections of pages about litmus tests.
#pragma once

#include <string>

#include "explain/explain.h"
#include "explain/outcome.h"
#include "report/draw/drawing.h"

namespace ptxmc::report {

/// One test: its text, its states, what is said about its condition, and the pictures side by side. Without
/// an explanation the picture is that of the deciding state. `depth` as in explain_text().
std::string html_section(const explain::Outcome& outcome, const explain::Explanation* explanation, int depth);

/// The section of a file that could not be read, or was given up.
std::string html_mistake(const std::string& file, const std::string& answer, const std::string& text);

/// A picture that can be made larger, and what its arrows mean. `id` keeps those of a page apart.
std::string picture_html(const Drawing& drawing, const std::string& id);

}  // namespace ptxmc::report

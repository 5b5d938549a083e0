// SPDX-License-Identifier: Apache-2.0
// The text report, in herd7's format to the letter, so that the log readers of that family take it.
#pragma once

#include <iosfwd>
#include <string>

#include "explain/outcome.h"

namespace ptxmc::report {

/// The whole block of one test, blank line included. For Ask::verdict the short form: head, verdict line,
/// flags, condition, time; no states were listed.
std::string herd_text(const explain::Outcome& outcome);

/// The same of an outcome whose states are packed.
void write_herd_text(std::ostream& out, const explain::Outcome& outcome);

}  // namespace ptxmc::report

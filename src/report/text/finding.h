// SPDX-License-Identifier: Apache-2.0
// A finding for people, forevery verb: what happens and where, the source lines with who executes them, why, and what to do.
#pragma once

#include <string>

#include "explain/finding.h"
#include "support/source.h"
#include "support/source_files.h"

namespace ptxmc::report {

/// Where the lines are that a report quotes.
struct Quoted {
  SourcePtr text;         ///< the test or the module; may be null
  SourceFiles& compiled;  ///< what the module was compiled from
};

/// Lines, each with its end. A place whose source line is found is quoted from there, and its PTX stands below; another one is
/// quoted from the test or the module.
std::string finding_text(const explain::Finding& finding, const Quoted& quoted);

}  // namespace ptxmc::report

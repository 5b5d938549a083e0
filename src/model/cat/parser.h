// SPDX-License-Identifier: Apache-2.0
// cat text -> syntax tree.
#pragma once

#include <vector>

#include "model/cat/read.h"
#include "model/cat/syntax.h"
#include "support/diagnostic.h"

namespace ptxmc::cat {

/// Parses a text and what it includes. Every syntax error of every file goes to `diagnostics`.
Syntax parse(const SourcePtr& source, const IncludeResolver& include, Diagnostics& diagnostics);

/// Parses one of our own texts, without includes, into the arena of `syntax`; its statements are returned,
/// not added.
std::vector<Statement> parse_own(const SourcePtr& source, Syntax& syntax);

}  // namespace ptxmc::cat

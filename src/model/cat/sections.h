// SPDX-License-Identifier: Apache-2.0
// Manual sections as data: the numbers (8.9.5), rules (R29) and readings (D18) that comments name beside a
// statement.
#pragma once

#include <string>
#include <vector>

#include "model/cat/lexer.h"

namespace ptxmc::cat {

/// "8.9.5, 8.10.2, D10": what the text of a comment names, in order, without repetition. A version of the
/// manual
/// ("ISA 8.4") is not a section.
std::string sections_in(const std::string& comment);

/// The sections of a statement that stands on lines first..last: those of comments on these lines; else of
/// the comments directly above it; else of the last heading, which is a comment that begins with `(* --` or
/// `// --`.
std::string sections_of(const std::vector<Comment>& comments, std::uint32_t first_line,
                        std::uint32_t last_line);

}  // namespace ptxmc::cat

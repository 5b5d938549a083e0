// SPDX-License-Identifier: Apache-2.0
// The tokens of PTX in litmus files, and what their words are there: threads, registers without %, sections.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/text/cursor.h"
#include "support/text.h"

namespace ptxmc::litmus {

using ptx::Cursor;
using ptx::Errors;
using ptx::Place;
using ptx::Token;
using ptx::TokenKind;
using ptx::TooManyErrors;

/// Litmus files have herd's comments too.
constexpr ptx::Comments kComments = ptx::Comments::parenthesised;

/// N of "PN"; nothing when the name is not of that form or N is out of bounds.
std::optional<int> thread_number(std::string_view name);
/// `r` and digits: a register that needs no %.
bool is_bare_register(std::string_view name);
/// An identifier that can name a variable: no register, not `_`.
bool is_variable_name(const Token& token);
/// exists, forall, filter, locations, final, scopes, regions: words that start a section after the code.
bool is_section_word(std::string_view name);
/// All of them, for suggestions.
std::vector<std::string> section_words();

constexpr int kMaxNumber = 65535;  // of threads, ctas, gpus ...

}  // namespace ptxmc::litmus

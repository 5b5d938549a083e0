// SPDX-License-Identifier: Apache-2.0
// Errors in functions, which are not errors of their module. Inside src/ptx/text only.
#pragma once

#include <cstddef>
#include <vector>

#include "ptx/text/errors.h"
#include "ptx/text/lexer.h"
#include "ptx/text/syntax.h"

namespace ptxmc::ptx {

/// The place after the `}` that ends the block in which `begin` stands, or the end.
std::size_t behind_block(const std::vector<Token>& tokens, std::size_t begin, std::size_t end);
/// Errors of the lexer that stand in no function; the others become those of their functions.
std::vector<Diagnostic> outside_of_functions(const Errors& errors, Module& module);
/// Function::unread of all functions.
std::vector<Diagnostic> errors_of_functions(const Module& module);

}  // namespace ptxmc::ptx

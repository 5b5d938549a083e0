// SPDX-License-Identifier: Apache-2.0
// The code of a sketch's threads, as text.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "generate/sketch.h"

namespace ptxmc::generate {

/// Instructions and labels, a line each.
std::vector<std::string> code_of(const Sketch& sketch, std::size_t thread,
                                 const std::vector<Storage>& storage);

/// What an asynchronous access reads or writes beside its location.
/// Where an operation on operands that are read puts what it makes of them.
std::string product_name(const Operation& operation);
std::string buffer_name(const Operation& operation);
/// A read of another kind leaves in a buffer what it read.
bool to_register(const Operation& operation);
/// A copy of 16 bytes.
bool is_bulk(AccessKind access_kind);

}  // namespace ptxmc::generate

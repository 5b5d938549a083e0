// SPDX-License-Identifier: Apache-2.0
// One thing wrong with the input, and no more to be said about the rest of it.
#pragma once

#include <string>
#include <utility>

#include "support/diagnostic.h"

namespace ptxmc {

/// Throws InputError. `source` may be null.
[[noreturn]] inline void refuse(SourcePtr source, Position position, std::string message) {
  Diagnostics diagnostics(std::move(source));
  diagnostics.error(position, std::move(message));
  throw InputError(diagnostics);
}
/// The same of what has no place in a text: the command line, or a whole file.
[[noreturn]] inline void refuse(std::string message) {
  refuse(nullptr, {}, std::move(message));
}

}  // namespace ptxmc

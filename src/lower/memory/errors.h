// SPDX-License-Identifier: Apache-2.0
// Errors of lowering: the first one ends it.
#pragma once

#include <string>

#include "support/diagnostic.h"
#include "support/refuse.h"

namespace ptxmc::lower {

class Errors {
 public:
  explicit Errors(SourcePtr source) : source_(std::move(source)) {}

  /// Throws InputError with one diagnostic.
  [[noreturn]] void fail(Position position, std::string message) const {
    refuse(source_, position, std::move(message));
  }

  /// "not supported yet: WHAT": right by the manual, but outside what ptxmc covers.
  [[noreturn]] void unsupported(Position position, const std::string& what) const {
    fail(position, "not supported yet: " + what);
  }

 private:
  SourcePtr source_;
};

}  // namespace ptxmc::lower

// SPDX-License-Identifier: Apache-2.0
// Errors of lowering: the first one ends it.
#pragma once

#include <string>
#include <utility>

#include "support/beyond_limits.h"
#include "support/diagnostic.h"
#include "support/origins.h"
#include "support/refuse.h"

namespace ptxmc::lower {

class Errors {
 public:
  /// `origins`: of the lines of the source; they stand behind each message.
  explicit Errors(SourcePtr source, OriginsPtr origins = nullptr)
      : source_(std::move(source)), origins_(std::move(origins)) {}

  /// Throws InputError with one diagnostic.
  [[noreturn]] void fail(Position position, std::string message) const {
    refuse(source_, position, std::move(message) + origin_text(origins_, position));
  }

  /// Too much for any engine. Throws BeyondLimits.
  [[noreturn]] void beyond(Position position, std::string message) const {
    Diagnostics diagnostics(source_);
    diagnostics.error(position, std::move(message) + origin_text(origins_, position));
    throw BeyondLimits(diagnostics);
  }

  /// "not supported yet: WHAT": right by the manual, but outside what ptxmc covers.
  [[noreturn]] void unsupported(Position position, const std::string& what) const {
    fail(position, "not supported yet: " + what);
  }

 private:
  SourcePtr source_;
  OriginsPtr origins_;
};

}  // namespace ptxmc::lower

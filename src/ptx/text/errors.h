// SPDX-License-Identifier: Apache-2.0
// The errors of one text, limited in number: a file that is no PTX at all should not print a novel.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "support/diagnostic.h"

namespace ptxmc::ptx {

/// Thrown when a text has more errors than anyone wants to read; the code that made the Errors catches it.
struct TooManyErrors {};

class Errors {
 public:
  static constexpr int kLimit = 50;

  explicit Errors(SourcePtr source) : diagnostics_(std::move(source)) {}
  void error(Position position, std::string message, std::vector<Note> notes = {}) {
    if (++count_ > kLimit) {
      diagnostics_.error(position, "too many errors; the rest of the file is not read");
      throw TooManyErrors();
    }
    diagnostics_.error(position, std::move(message), std::move(notes));
  }
  bool any() const { return diagnostics_.has_errors(); }
  int count() const { return count_; }
  const Diagnostics& diagnostics() const { return diagnostics_; }

 private:
  Diagnostics diagnostics_;
  int count_ = 0;
};

/// In the order of the text: what is found late may stand early. "Too many errors" stays last.
Diagnostics sorted(const Diagnostics& diagnostics);

}  // namespace ptxmc::ptx

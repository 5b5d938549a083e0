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

  explicit Errors(SourcePtr source) : diagnostics_(source), notes_(std::move(source)) {}
  void error(Position position, std::string message, std::vector<Note> notes = {}) {
    if (++count_ > kLimit) {
      diagnostics_.error(position, "too many errors; the rest of the file is not read");
      throw TooManyErrors();
    }
    diagnostics_.error(position, std::move(message), std::move(notes));
  }
  /// What is read past; once for a message.
  void note(Position position, std::string message) {
    for (const Diagnostic& known : notes_.all()) {
      if (known.message == message) return;
    }
    notes_.note(position, std::move(message));
  }
  /// One that was found elsewhere.
  void add(Diagnostic diagnostic) {
    ++count_;
    diagnostics_.add(std::move(diagnostic));
  }
  bool any() const { return diagnostics_.has_errors(); }
  int count() const { return count_; }
  const Diagnostics& diagnostics() const { return diagnostics_; }
  const std::vector<Diagnostic>& notes() const { return notes_.all(); }

 private:
  Diagnostics diagnostics_, notes_;
  int count_ = 0;
};

/// In the order of the text: what is found late may stand early. "Too many errors" stays last.
Diagnostics sorted(const Diagnostics& diagnostics);

}  // namespace ptxmc::ptx

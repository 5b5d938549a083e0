// SPDX-License-Identifier: Apache-2.0
// Diagnostics with positions: what the user did wrong, where, and what was expected.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "support/source.h"

namespace ptxmc {

enum class Severity { note, warning, error };
/// "error", "warning", "note"
std::string_view name_of(Severity severity);

/// Another place of the same text that a diagnostic is about: "the first is here".
struct Note {
  Position position;
  std::string message;
};

struct Diagnostic {
  Severity severity = Severity::error;
  SourcePtr source;  ///< may be null (an error of the command line, say)
  Position position;
  std::string message;  ///< one sentence, no trailing full stop: found what, expected what
  std::vector<Note> notes = {};
};

/// "FILE:LINE:COLUMN: error: MESSAGE", the source line, and a line that underlines the place; the same of each note.
std::string render(const Diagnostic& diagnostic);

/// Collects diagnostics; parsers go on after an error and report the others too.
class Diagnostics {
 public:
  explicit Diagnostics(SourcePtr source = nullptr) : source_(std::move(source)) {}
  void error(Position position, std::string message, std::vector<Note> notes = {});
  void warning(Position position, std::string message);
  void note(Position position, std::string message);
  /// One found in another text (an included file).
  void add(Diagnostic diagnostic);
  bool has_errors() const { return errors_ != 0; }
  const std::vector<Diagnostic>& all() const { return all_; }
  const SourcePtr& source() const { return source_; }
  std::string render_all() const;

 private:
  SourcePtr source_;
  std::vector<Diagnostic> all_;
  std::size_t errors_ = 0;
};

/// Input that ptxmc refuses: carries every diagnostic found. The command line exits with status 2.
class InputError : public std::runtime_error {
 public:
  explicit InputError(const Diagnostics& diagnostics)
      : std::runtime_error(diagnostics.render_all()), diagnostics_(diagnostics.all()) {}
  const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }

 private:
  std::vector<Diagnostic> diagnostics_;
};

}  // namespace ptxmc

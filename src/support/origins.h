// SPDX-License-Identifier: Apache-2.0
// Lines of the language that a text was compiled from: what `.loc` and `.file` of PTX say (11.5).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/source.h"

namespace ptxmc {

/// A place in the text that was compiled.
struct SourceFrame {
  std::string path;          ///< as the compiler wrote it, or a name without its folders
  std::uint32_t line = 0;    ///< from 1
  std::uint32_t column = 0;  ///< from 1; 0: unknown
  /// "sum.cu:9": without folders
  std::string text() const;
  /// In a header of the CUDA toolkit or the system, of which a user has not written a line.
  bool is_in_toolkit() const;
  /// In a source that is compiled by itself (.cu, .cpp ...), not in one that others include.
  bool is_in_unit() const;
  /// The inverse of text(); line 0 where that is none.
  static SourceFrame parse(std::string_view text);
  friend bool operator==(const SourceFrame&, const SourceFrame&) = default;
};

/// What a line was compiled from, as debuggers list it: the innermost frame first, then the lines that it was inlined at.
struct Origin {
  std::vector<SourceFrame> frames;  ///< empty: unknown
  bool assembly = false;            ///< the innermost frame is an `asm` statement

  bool known() const { return !frames.empty(); }
  /// The innermost frame that is not in the toolkit, or the innermost. A function around an `asm` statement is shown by its call:
  /// in the kernel's own source, if that is no header. Precondition: known().
  const SourceFrame& shown() const;
  /// The `asm` statement by whose call `shown` stands; null: it is shown itself, or there is none.
  const SourceFrame* wrapped() const;
  /// "barrier.h:120 inlined at sum.cu:9": `shown`, with the callers that `callers` names.
  std::string text() const;
  /// "sum.cu:9": callers of `shown` in the file of the outermost one, which is the kernel's; those between are in libraries.
  std::string callers() const;

 private:
  std::size_t first_shown() const;
};

/// The origins of all lines of a text.
class Origins {
 public:
  /// A number for `frame`.
  using File = std::uint32_t;
  File file(std::string_view name);
  /// A line and column of a file, and at which other it was inlined: a number for `add`.
  using Frame = std::uint32_t;
  Frame frame(File file, std::uint32_t line, std::uint32_t column, std::optional<Frame> inlined_at);
  /// Lines come in the order of the text. `assembly`: of an `asm` statement.
  void add(std::uint32_t line, Frame frame, bool assembly = false);

  Origin at(Position position) const;
  /// The names of files, as the compiler wrote them.
  const std::vector<std::string>& files() const { return files_; }

 private:
  struct Row {
    File file = 0;
    std::uint32_t line = 0, column = 0;
    std::optional<Frame> inlined_at;
  };
  std::vector<std::string> files_;
  std::vector<Row> frames_;
  struct LineOf {
    std::uint32_t line = 0;
    Frame frame = 0;
    bool assembly = false;
  };
  std::vector<LineOf> lines_;
};

/// Null: the text was not compiled from another.
using OriginsPtr = std::shared_ptr<const Origins>;

inline Origin origin_at(const OriginsPtr& origins, Position position) {
  return origins == nullptr ? Origin{} : origins->at(position);
}
/// " (sum.cu:9)", to stand after the line's own number; empty where nothing is known.
std::string origin_text(const OriginsPtr& origins, Position position);
/// "line 70 (sum.cu:9)"
std::string line_text(const OriginsPtr& origins, Position position);

}  // namespace ptxmc

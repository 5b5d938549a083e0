// SPDX-License-Identifier: Apache-2.0
// Lines of the language that a text was compiled from: what `.loc` and `.file` of PTX say (11.5).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/source.h"

namespace ptxmc {

/// What a line was compiled from, as debuggers list it: the innermost frame first, then the lines that it was inlined at.
struct Origin {
  std::vector<std::string>
      frames;  ///< "barrier.h:120", "sum.cu:9"; the files without their folders. Empty: unknown

  bool known() const { return !frames.empty(); }
  /// "barrier.h:120 inlined at sum.cu:9". Of the callers those in the file of the outermost, which is the kernel's: what
  /// lies between is the library's own affair.
  std::string text() const;
};

/// The origins of all lines of a text.
class Origins {
 public:
  /// A number for `frame`.
  using File = std::uint32_t;
  File file(std::string_view name);
  /// A line of a file, and at which other it was inlined: a number for `add`.
  using Frame = std::uint32_t;
  Frame frame(File file, std::uint32_t line, std::optional<Frame> inlined_at);
  /// Lines come in the order of the text.
  void add(std::uint32_t line, Frame frame);

  Origin at(Position position) const;

 private:
  struct Row {
    File file = 0;
    std::uint32_t line = 0;
    std::optional<Frame> inlined_at;
  };
  std::vector<std::string> files_;
  std::vector<Row> frames_;
  std::vector<std::pair<std::uint32_t, Frame>> lines_;
};

/// Null: nobody knows any.
using OriginsPtr = std::shared_ptr<const Origins>;

inline Origin origin_at(const OriginsPtr& origins, Position position) {
  return origins == nullptr ? Origin{} : origins->at(position);
}
/// " (sum.cu:9)", to stand behind the line's own number; empty where nothing is known.
std::string origin_text(const OriginsPtr& origins, Position position);
/// "line 70 (sum.cu:9)"
std::string line_text(const OriginsPtr& origins, Position position);

}  // namespace ptxmc

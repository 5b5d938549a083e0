// SPDX-License-Identifier: Apache-2.0
// Source texts and positions in them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace ptxmc {

/// A place in a text: line and column count from 1; line 0 means "no position". `length` is in bytes, on one
/// line.
struct Position {
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::uint32_t length = 1;
  bool known() const { return line != 0; }
  friend bool operator==(const Position&, const Position&) = default;
};

/// A named text; shared by everything that points into it.
struct Source {
  std::string name;  ///< file name as the user gave it, or "<stdin>"
  std::string text;

  /// The text of a line (1-based) without its line end; empty when there is no such line.
  std::string_view line(std::uint32_t number) const;
};
using SourcePtr = std::shared_ptr<const Source>;

}  // namespace ptxmc

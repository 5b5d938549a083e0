// SPDX-License-Identifier: Apache-2.0
// Program points where an instruction that is put in can tell: between two that access memory or synchronize. What lies between
// them, on registers alone, makes no further point; a jump does.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "repair/text.h"

namespace ptxmc::repair {

/// After an instruction of a code (-1: before the first), or directly before one.
struct Point {
  std::size_t code = 0;
  std::ptrdiff_t index = -1;
  bool before = false;
  /// between two instructions that access memory or synchronize; else before or after them all
  bool inner = true;
  bool fenced = false;  ///< beside a fence of memory order
  /// "behind line 7"
  std::string place(const litmus::Test& test, const Layout& layout) const;
  Edit insert(const Layout& layout, const std::vector<std::string>& instructions) const {
    return before ? layout.insert_before(code, static_cast<std::size_t>(index), instructions)
                  : layout.insert_behind(code, index, instructions);
  }
};

/// Accesses memory or synchronizes.
bool acts(const program::Instruction& instruction);
/// The points of one code, in the order of the text.
std::vector<Point> points_of(const Layout& layout, std::size_t code);

/// "P0", or of a body that several run "P0-P31".
std::string threads_of(const litmus::Test& test, const Layout& layout, std::size_t code);

}  // namespace ptxmc::repair

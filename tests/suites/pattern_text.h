// SPDX-License-Identifier: Apache-2.0
// The shorthand of the pattern suite, and its translation to a litmus text.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace ptxmc::testing {

/// One `test` of the shorthand, lines kept as written.
struct Pattern {
  std::string name;
  std::size_t line = 0;                   ///< in its file
  std::vector<std::string> threads;       ///< "T0 (cta0): ... ; ..."
  std::vector<std::string> settings;      ///< "alias y=x", "init x=5", "gran 1" ...
  std::string bad;                        ///< condition; may be empty
  std::vector<std::string> expectations;  ///< "allowed", "race" ...
};

std::vector<Pattern> read_patterns(const std::string& text);

struct Translation {
  std::string litmus;       ///< empty: not translated
  std::string unsupported;  ///< why not
};

/// `OP == v` after a value (`atom ... == 1`) is an assumption, which becomes a `filter` on the register.
Translation translate(const Pattern& pattern);

}  // namespace ptxmc::testing

// SPDX-License-Identifier: Apache-2.0
#include "support/nearest.h"

#include <algorithm>
#include <cctype>

namespace ptxmc {

namespace {

char lower(char c) {
  return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

/// One for all that looks alike: `l`, `I` and `1`, `O` and `0`.
char shape(char c) {
  if (c == 'I' || c == '1') return 'l';
  return c == 'O' || c == '0' ? 'o' : lower(c);
}

// Damerau-Levenshtein distance (optimal string alignment) in halves: 2 an edit, 1 a change of case, or to what
// looks alike.
std::size_t distance(const std::string& a, const std::string& b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = 2 * i;
  for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = 2 * j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = a[i - 1] == b[j - 1] ? 0 : shape(a[i - 1]) == shape(b[j - 1]) ? 1 : 2;
      d[i][j] = std::min({d[i - 1][j] + 2, d[i][j - 1] + 2, d[i - 1][j - 1] + change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 2);
    }
  }
  return d[a.size()][b.size()];
}

}  // namespace

std::optional<std::string> nearest(const std::string& name, const std::vector<std::string>& candidates) {
  constexpr std::size_t kLongest = 64;  // no suggestion for what is no name
  if (name.size() > kLongest) return std::nullopt;
  std::optional<std::string> best;
  std::size_t best_distance = std::max<std::size_t>(2, 2 * (name.size() / 3)) + 1;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > kLongest) continue;
    const std::size_t d = distance(name, candidate);
    if (d < best_distance) {
      best_distance = d;
      best = candidate;
    }
  }
  return best;
}

}  // namespace ptxmc

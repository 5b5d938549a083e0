// SPDX-License-Identifier: Apache-2.0
// Unified diffs, as `diff -u` writes them. Texts are short: the longest common subsequence is found by its table, of the lines
// between those that both texts begin and end with.
#include <fmt/format.h>

#include <algorithm>

#include "repair/text.h"

namespace ptxmc::repair {

namespace {

constexpr std::size_t kContext = 3;

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    out.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return out;
}

/// A line of either text or of both: ' ', '-' or '+'.
struct Line {
  char kind = ' ';
  std::string_view text;
};

std::vector<Line> compared(const std::vector<std::string_view>& a, const std::vector<std::string_view>& b) {
  std::size_t head = 0;
  while (head < a.size() && head < b.size() && a[head] == b[head]) ++head;
  std::size_t tail = 0;
  while (tail + head < a.size() && tail + head < b.size() && a[a.size() - 1 - tail] == b[b.size() - 1 - tail])
    ++tail;
  const std::size_t n = a.size() - head - tail, m = b.size() - head - tail;
  std::vector<std::vector<std::uint32_t>> common(n + 1, std::vector<std::uint32_t>(m + 1));
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t j = m; j-- > 0;) {
      common[i][j] = a[head + i] == b[head + j] ? common[i + 1][j + 1] + 1
                                                : std::max(common[i + 1][j], common[i][j + 1]);
    }
  }
  std::vector<Line> out;
  for (std::size_t i = 0; i < head; ++i) out.push_back({' ', a[i]});
  std::size_t i = 0, j = 0;
  while (i < n || j < m) {
    if (i < n && j < m && a[head + i] == b[head + j]) {
      out.push_back({' ', a[head + i]});
      ++i, ++j;
    } else if (i < n && (j == m || common[i + 1][j] >= common[i][j + 1])) {
      out.push_back({'-', a[head + i++]});
    } else {
      out.push_back({'+', b[head + j++]});
    }
  }
  for (std::size_t k = a.size() - tail; k < a.size(); ++k) out.push_back({' ', a[k]});
  return out;
}

}  // namespace

std::string unified_diff(const std::string& name, const std::string& now, std::string_view before,
                         std::string_view after) {
  const std::vector<Line> all = compared(lines_of(before), lines_of(after));
  std::string out;
  std::size_t old_line = 1, new_line = 1;
  for (std::size_t i = 0; i < all.size();) {
    if (all[i].kind == ' ') {
      ++i, ++old_line, ++new_line;
      continue;
    }
    const std::size_t lead = std::min(i, kContext);
    std::size_t end = i, quiet = 0;
    while (end < all.size() && quiet <= 2 * kContext) {
      quiet = all[end].kind == ' ' ? quiet + 1 : 0;
      ++end;
    }
    end -= quiet > kContext ? quiet - kContext : 0;
    std::string hunk;
    std::size_t old_count = 0, new_count = 0;
    for (std::size_t k = i - lead; k < end; ++k) {
      hunk += fmt::format("{}{}\n", all[k].kind, all[k].text);
      old_count += all[k].kind != '+';
      new_count += all[k].kind != '-';
    }
    if (out.empty()) out = fmt::format("--- {0}\n+++ {0} ({1})\n", name, now);
    out +=
        fmt::format("@@ -{},{} +{},{} @@\n{}", old_line - lead, old_count, new_line - lead, new_count, hunk);
    old_line += old_count - lead;
    new_line += new_count - lead;
    i = end;
  }
  return out;
}

}  // namespace ptxmc::repair

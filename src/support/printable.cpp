// SPDX-License-Identifier: Apache-2.0
#include "support/printable.h"

#include <algorithm>
#include <array>
#include <istream>

namespace ptxmc {

namespace {

/// How many bytes of a control character begin at `at`; 0: none does.
std::size_t control_at(std::string_view text, std::size_t at) {
  const auto c = static_cast<unsigned char>(text[at]);
  if (c >= 0x20 && c < 0x7f) return 0;
  const bool blank = c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
  if (c < 0x20 || c == 0x7f) return blank ? 0 : 1;
  if (c != 0xc2 || at + 1 >= text.size()) return 0;
  const auto next = static_cast<unsigned char>(text[at + 1]);
  return next >= 0x80 && next < 0xa0 ? 2 : 0;
}

}  // namespace

std::size_t find_control(std::string_view text) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (control_at(text, at) != 0) return at;
  }
  return std::string_view::npos;
}

std::string printable(std::string text) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::size_t bytes = control_at(text, at);
    std::fill_n(text.begin() + static_cast<std::ptrdiff_t>(at), bytes, '?');
    if (bytes > 1) at += bytes - 1;
  }
  return text;
}

std::optional<std::string> read_bounded(std::istream& in, std::size_t limit) {
  std::string text;
  std::array<char, 1 << 16> part;
  while (in.read(part.data(), part.size()) || in.gcount() > 0) {
    text.append(part.data(), static_cast<std::size_t>(in.gcount()));
    if (text.size() > limit) return std::nullopt;
  }
  return text;
}

}  // namespace ptxmc

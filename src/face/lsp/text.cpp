// SPDX-License-Identifier: Apache-2.0
#include "face/lsp/text.h"

#include <algorithm>
#include <cctype>

namespace ptxmc::lsp {

namespace {

/// Bytes of the character that begins here: by its first byte, and no more than are there.
std::size_t length_at(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  const std::size_t wanted = lead >= 0xf0 && lead < 0xf8   ? 4
                             : lead >= 0xe0 && lead < 0xf0 ? 3
                             : lead >= 0xc0 && lead < 0xe0 ? 2
                                                           : 1;
  if (wanted > text.size()) return 1;
  for (std::size_t i = 1; i < wanted; ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xc0U) != 0x80) return 1;
  }
  return wanted;
}

constexpr std::uint32_t units_of(std::size_t length) {
  return length == 4 ? 2 : 1;  // a surrogate pair
}

}  // namespace

std::uint32_t units_in(std::string_view line, std::size_t bytes) {
  std::uint32_t units = 0;
  for (std::size_t at = 0; at < std::min(bytes, line.size());) {
    const std::size_t length = length_at(line.substr(at));
    units += units_of(length);
    at += length;
  }
  return units;
}

std::size_t bytes_in(std::string_view line, std::uint32_t units) {
  std::size_t at = 0;
  for (std::uint32_t seen = 0; seen < units && at < line.size();) {
    const std::size_t length = length_at(line.substr(at));
    seen += units_of(length);
    at += length;
  }
  return at;
}

Range range_of(const Source& source, Position position) {
  if (!position.known()) return {};
  const std::string_view line = source.line(position.line);
  const std::size_t begin = position.column == 0 ? 0 : position.column - 1;
  const std::uint32_t number = position.line - 1;
  const std::uint32_t from = units_in(line, begin);
  const std::uint32_t to = units_in(line, begin + std::max<std::uint32_t>(position.length, 1));
  return {{number, from}, {number, std::max(to, from)}};
}

Word word_at(const Source& source, Place place, std::string_view characters) {
  Word out;
  if (place.line == ~std::uint32_t{0}) return out;
  const std::string_view line = source.line(place.line + 1);
  const std::size_t at = bytes_in(line, place.character);
  const auto in_word = [&](std::size_t i) {
    const auto c = static_cast<unsigned char>(line[i]);
    return std::isalnum(c) != 0 || characters.find(line[i]) != std::string_view::npos;
  };
  std::size_t begin = at, end = at;
  while (begin > 0 && in_word(begin - 1)) --begin;
  while (end < line.size() && in_word(end)) ++end;
  out.text = line.substr(begin, end - begin);
  out.before = line.substr(begin, at - begin);
  out.range = {{place.line, units_in(line, begin)}, {place.line, units_in(line, end)}};
  return out;
}

}  // namespace ptxmc::lsp

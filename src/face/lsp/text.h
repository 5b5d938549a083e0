// SPDX-License-Identifier: Apache-2.0
// Places in a text as editors count them: lines from 0, characters in UTF-16 code units; ours are bytes, from 1.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "support/source.h"

namespace ptxmc::lsp {

struct Place {
  std::uint32_t line = 0, character = 0;
};
struct Range {
  Place begin, end;
};

/// How far `bytes` bytes of a line are, in UTF-16 code units. Bytes that are no UTF-8 count as one each.
std::uint32_t units_in(std::string_view line, std::size_t bytes);
/// How many bytes so many code units are; at most the whole line.
std::size_t bytes_in(std::string_view line, std::uint32_t units);

/// An unknown position is the text's beginning.
Range range_of(const Source& source, Position position);

/// A word around a place: of characters of names, and with dots and colons those of mnemonics.
struct Word {
  std::string text;    ///< empty: there is none
  std::string before;  ///< its part before the place
  Range range;
};
Word word_at(const Source& source, Place place, std::string_view characters);

}  // namespace ptxmc::lsp

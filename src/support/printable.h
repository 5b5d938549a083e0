// SPDX-License-Identifier: Apache-2.0
// Text of others on its way to a terminal, and into memory.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>

namespace ptxmc {

/// Where the first control character stands, tabs and line ends apart: bytes below 0x20, 0x7f, and C1 as UTF-8
/// writes it (U+0080 to U+009F). npos: nowhere. A terminal obeys them.
std::size_t find_control(std::string_view text);
/// The text with a `?` for each byte of those.
std::string printable(std::string text);

/// All that a stream has. Nothing when that is more than `limit` bytes.
std::optional<std::string> read_bounded(std::istream& in, std::size_t limit);

}  // namespace ptxmc

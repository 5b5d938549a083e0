// SPDX-License-Identifier: Apache-2.0
// Small questions about texts.
#pragma once

#include <cstdint>
#include <string_view>

namespace ptxmc {

constexpr std::string_view kBlank = " \t\r\f\v";

/// Without the blanks around it.
inline std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

/// A number for its bytes, the same on all machines and in all versions (FNV-1a). Who wants to can make two texts with one number.
inline std::uint64_t hash_of_text(std::string_view text) {
  std::uint64_t out = 0xcbf29ce484222325U;
  for (const char c : text) out = (out ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return out;
}

}  // namespace ptxmc

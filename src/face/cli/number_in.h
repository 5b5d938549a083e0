// SPDX-License-Identifier: Apache-2.0
// Internal to src/face/cli.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace ptxmc::cli {

/// All of the text as a number.
template <typename T>
std::optional<T> number_in(std::string_view text) {
  T number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace ptxmc::cli

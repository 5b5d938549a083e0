// SPDX-License-Identifier: Apache-2.0
#include "face/cli/architecture.h"

#include <fmt/format.h>

#include <charconv>
#include <string_view>

#include "support/refuse.h"

namespace ptxmc::cli {

Architecture read_architecture(const std::string& option, const std::string& text) {
  Architecture out;
  std::string_view digits = text;
  for (const std::string_view prefix : {"sm_", "compute_"}) {
    if (digits.starts_with(prefix)) digits.remove_prefix(prefix.size());
  }
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), out.number);
  out.suffix = digits.substr(static_cast<std::size_t>(end - digits.data()));
  constexpr unsigned kLeast = 50, kMost = 999;
  const bool known = out.suffix.empty() || out.suffix == "a" || out.suffix == "f";
  if (error != std::errc() || out.number < kLeast || out.number > kMost || !known)
    refuse(fmt::format("{} {}: expected an architecture: sm_90a", option, text));
  return out;
}

}  // namespace ptxmc::cli

// SPDX-License-Identifier: Apache-2.0
#include "face/cli/numbers.h"

#include <fmt/format.h>

#include <string>

#include "face/cli/number_in.h"
#include "support/printable.h"

namespace ptxmc::cli {

namespace {

constexpr double kMostSeconds = 1e9;

}  // namespace

CLI::Validator whole_number(std::int64_t least, std::int64_t most, std::int64_t example) {
  const auto check = [=](std::string& text) -> std::string {
    const auto value = number_in<std::int64_t>(text);
    if (value && *value >= least && *value <= most) {
      text = std::to_string(*value);  // without zeros in front, which CLI11 takes for octal
      return "";
    }
    const std::string range =
        most == kAnyCount ? fmt::format("of {} or more", least) : fmt::format("from {} to {}", least, most);
    return fmt::format("expected a whole number {}, such as {}; found `{}`", range, example, printable(text));
  };
  return {check, ""};
}

CLI::Validator seconds() {
  const auto check = [](std::string& text) -> std::string {
    const auto value = number_in<double>(text);
    if (value && *value > 0 && *value <= kMostSeconds) return "";
    return fmt::format("expected a number of seconds above 0, such as 30 or 0.5; found `{}`",
                       printable(text));
  };
  return {check, ""};
}

}  // namespace ptxmc::cli

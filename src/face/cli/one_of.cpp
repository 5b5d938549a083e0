// SPDX-License-Identifier: Apache-2.0
#include "face/cli/one_of.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "support/nearest.h"
#include "support/printable.h"

namespace ptxmc::cli {

namespace {

/// "text, json or html"
std::string listed(const std::vector<std::string>& names) {
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i)
    out += (i == 0 ? "" : i + 1 == names.size() ? " or " : ", ") + names[i];
  return out;
}

}  // namespace

CLI::Validator one_of(std::vector<std::string> names) {
  const auto check = [names = std::move(names)](const std::string& word) -> std::string {
    if (std::find(names.begin(), names.end(), word) != names.end()) return "";
    const auto near = nearest(word, names);
    return fmt::format("expected {}; found `{}`{}", listed(names), printable(word),
                       near ? fmt::format("; did you mean `{}`?", *near) : "");
  };
  return {check, "", ""};
}

}  // namespace ptxmc::cli

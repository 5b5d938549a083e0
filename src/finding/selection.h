// SPDX-License-Identifier: Apache-2.0
// Which findings are asked for (--only, --ignore), and which make a run fail (--fail-on).
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/diagnostic.h"

namespace ptxmc::finding {

struct Selection {
  std::vector<std::string> only;                      ///< rules; empty: all
  std::vector<std::string> ignore;                    ///< rules, of those
  std::optional<Severity> fail_on = Severity::error;  ///< and above; nothing: no finding does

  bool takes(std::string_view rule) const {
    const auto has = [&](const std::vector<std::string>& names) {
      return std::find(names.begin(), names.end(), rule) != names.end();
    };
    return (only.empty() || has(only)) && !has(ignore);
  }
  bool fails(std::string_view rule, Severity severity) const {
    return fail_on && severity >= *fail_on && takes(rule);
  }
  bool all() const { return only.empty() && ignore.empty(); }
};

}  // namespace ptxmc::finding

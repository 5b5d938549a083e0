// SPDX-License-Identifier: Apache-2.0
// What findings of two texts of a module are compared by.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "explain/verify/findings.h"

namespace ptxmc::repair {

/// A rule, and lines of the module before it was changed; 0: a line that was put in.
using FindingKey = std::tuple<std::string, std::uint32_t, std::uint32_t>;
using FindingKeys = std::set<FindingKey>;
/// The line of the text before, by one of the text now.
using LineBefore = std::function<std::uint32_t(std::uint32_t)>;

FindingKeys keys_of(const explain::Finding& finding, const LineBefore& line);
/// Those of findings that count, errors and warnings, all together.
FindingKeys keys_of(const std::vector<explain::Finding>& findings, const LineBefore& line);
inline std::uint32_t same_line(std::uint32_t line) {
  return line;
}

}  // namespace ptxmc::repair

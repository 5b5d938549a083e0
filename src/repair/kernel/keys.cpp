// SPDX-License-Identifier: Apache-2.0
#include "repair/kernel/keys.h"

#include <algorithm>

namespace ptxmc::repair {

FindingKeys keys_of(const explain::Finding& finding, const LineBefore& line) {
  FindingKeys out;
  const auto at = [&](std::size_t place) { return line(finding.places[place].position.line); };
  for (const explain::Pair& pair : finding.pairs) {
    const auto [low, high] = std::minmax({at(pair.first), at(pair.second)});
    out.emplace(finding.name, low, high);
  }
  if (finding.pairs.empty()) {
    for (std::size_t i = 0; i < finding.places.size(); ++i) out.emplace(finding.name, at(i), 0);
  }
  return out;
}

FindingKeys keys_of(const std::vector<explain::Finding>& findings, const LineBefore& line) {
  FindingKeys out;
  for (const explain::Finding& finding : findings) {
    if (finding.severity >= Severity::warning) out.merge(keys_of(finding, line));
  }
  return out;
}

}  // namespace ptxmc::repair

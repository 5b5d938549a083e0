// SPDX-License-Identifier: Apache-2.0
#include "explain/verify/mutants.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace ptxmc::explain {

namespace {

constexpr std::size_t kMostLines = 2;

/// "race at line 12, line 40"
std::string words_of(const VerifyFinding& finding) {
  std::vector<std::string> lines;
  for (const VerifyPlace& place : finding.places) {
    const std::string line = line_of(place);
    if (lines.size() < kMostLines && (lines.empty() || lines.back() != line)) lines.push_back(line);
  }
  return fmt::format("{} at {}", finding.rule, fmt::join(lines, ", "));
}

/// A finding that relates one pair more is another one.
std::vector<std::string> keys_of(const VerifyFinding& finding) {
  std::vector<std::string> out;
  for (const VerifyPair& pair : finding.pairs)
    out.push_back(fmt::format("{} {} {}", finding.rule, finding.places[pair.first].position.line,
                              finding.places[pair.second].position.line));
  if (finding.pairs.empty()) {
    for (const VerifyPlace& place : finding.places)
      out.push_back(fmt::format("{} {}", finding.rule, place.position.line));
  }
  return out;
}

}  // namespace

Baseline::Baseline(const Verified& verified) {
  for (const VerifyFinding& finding : findings_of(verified)) {
    for (std::string& key : keys_of(finding)) known_.push_back(std::move(key));
  }
}

std::string Baseline::beyond(const Verified& changed) const {
  for (const VerifyFinding& finding : findings_of(changed)) {  // the worst first
    if (finding.severity < Severity::warning) continue;
    const std::vector<std::string> keys = keys_of(finding);
    const auto fresh = [&](const std::string& key) {
      return std::find(known_.begin(), known_.end(), key) == known_.end();
    };
    if (std::any_of(keys.begin(), keys.end(), fresh)) return words_of(finding);
  }
  if (changed.outcome.end != kernel::End::finished && changed.outcome.end != kernel::End::deadlock)
    return "does not end";
  return "";
}

}  // namespace ptxmc::explain

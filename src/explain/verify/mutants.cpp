// SPDX-License-Identifier: Apache-2.0
#include "explain/verify/mutants.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "finding/rules.h"

namespace ptxmc::explain {

namespace {

constexpr std::size_t kMostLines = 2;

/// "race at line 12, line 40"
std::string words_of(std::string_view rule, const std::vector<Place>& places) {
  std::vector<std::string> lines;
  for (const Place& place : places) {
    const std::string line = line_of(place);
    if (lines.size() < kMostLines && (lines.empty() || lines.back() != line)) lines.push_back(line);
  }
  return fmt::format("{} at {}", rule, fmt::join(lines, ", "));
}

}  // namespace

Baseline::Key Baseline::key_of(const exec::Run& run, const trace::Finding& finding) {
  return {std::string(finding::is_race(finding.rule) ? finding::name_of(finding::RuleId::race)
                                                     : finding::name_of(finding.rule)),
          run.instruction(finding.first.site).position.line,
          run.instruction(finding.second.site).position.line};
}

std::map<Baseline::Key, Baseline::Known> Baseline::summed(const claim::VerifyResult& verified) {
  std::map<Key, Known> out;
  const auto add = [&](const Key& key, Severity severity, std::uint64_t instances, std::string words) {
    Known& known = out[key];
    if (known.words.empty()) known.words = std::move(words);
    known.severity = std::max(known.severity, severity);
    known.instances += instances;
  };
  for (const trace::Finding& finding : verified.findings) {
    const std::string_view rule = finding::name_of(finding.rule);
    if (!verified.selection.takes(rule)) continue;
    add(key_of(*verified.run, finding), finding::severity_of(finding.rule), finding.instances,
        words_of(rule, {place_of(verified, finding.first.site), place_of(verified, finding.second.site)}));
  }
  for (const Finding& finding : findings_of(verified)) {
    if (finding.number) continue;  // of those above
    for (const Place& place : finding.places)
      add({finding.name, place.position.line, 0}, finding.severity, finding.instances,
          words_of(finding.name, {place}));
  }
  return out;
}

bool Baseline::is_known(const Key& key, Severity severity) const {
  const auto known = known_.find(key);
  return known != known_.end() && known->second.severity >= severity;
}

bool Baseline::is_news(const exec::Run& run, const trace::Finding& finding) const {
  return !is_known(key_of(run, finding), finding::severity_of(finding.rule));
}

std::string Baseline::beyond(const claim::VerifyResult& changed) const {
  const auto is_new = [&](const Finding& finding) {
    if (finding.number) {
      const bool race = finding::is_race(changed.findings[*finding.number].rule);
      const std::string rule = race ? std::string(finding::name_of(finding::RuleId::race)) : finding.name;
      return std::any_of(finding.pairs.begin(), finding.pairs.end(), [&](const Pair& pair) {
        return !is_known(
            {rule, finding.places[pair.first].position.line, finding.places[pair.second].position.line},
            finding.severity);
      });
    }
    return std::any_of(finding.places.begin(), finding.places.end(), [&](const Place& place) {
      return !is_known({finding.name, place.position.line, 0}, finding.severity);
    });
  };
  for (const Finding& finding : findings_of(changed)) {  // the worst first
    if (finding.severity >= Severity::warning && is_new(finding))
      return words_of(finding.name, finding.places);
  }
  // A hang is no finding where an instruction with an error was left out, say.
  const exec::End end = changed.outcome.end;
  const bool stuck = end == exec::End::deadlock && end_ == exec::End::finished;
  return stuck || end == exec::End::out_of_steps ? "does not end" : "";
}

std::string Baseline::oftener(const claim::VerifyResult& changed) const {
  for (const auto& [key, now] : summed(changed)) {
    const auto before = known_.find(key);
    if (now.severity >= Severity::warning && before != known_.end() &&
        now.instances > before->second.instances)
      return now.words;
  }
  return "";
}

}  // namespace ptxmc::explain

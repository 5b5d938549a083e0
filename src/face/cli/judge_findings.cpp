// SPDX-License-Identifier: Apache-2.0
#include "face/cli/judge_findings.h"

#include <fmt/format.h>

#include <algorithm>

#include "explain/judgement.h"
#include "face/cli/answer.h"
#include "finding/rules.h"

namespace ptxmc::cli {

using explain::Finding;

std::string at(const std::string& file, const std::optional<litmus::Verdict>& stated) {
  return stated ? place_of(file, stated->position) : file;
}

const Finding* unstated(const litmus::Verdict* stated, const std::vector<Finding>& findings,
                        const finding::Selection& selection) {
  const auto found = std::find_if(findings.begin(), findings.end(), [&](const Finding& finding) {
    const bool covered = stated != nullptr && explain::is_stated(*stated, finding);
    return finding.certain && !covered && selection.fails(finding.name, finding.severity);
  });
  return found == findings.end() ? nullptr : &*found;
}

namespace {

/// What was found comes to so much, and why, for people.
struct Judgement {
  Answer answer = Answer::as_stated;
  std::string message;
};

/// Why something that was asked is open; empty: nothing is.
std::string open_part(const Judged& judged, const finding::Selection& selection) {
  if (!judged.unknown.empty()) return judged.unknown;
  const auto open = std::find_if(judged.findings.begin(), judged.findings.end(), [&](const Finding& finding) {
    return !finding.certain && selection.takes(finding.name);
  });
  if (open != judged.findings.end()) return fmt::format("perhaps {}", open->name);
  return judged.stated && !judged.met ? "what is stated" : "";
}

Judgement judgement_of(const std::string& model, const litmus::Verdict* whole, const Judged& judged,
                       const finding::Selection& selection) {
  const bool fails = selection.fails(finding::name_of(finding::RuleId::verdict), Severity::error);
  if (judged.stated && judged.met == false && fails)
    return {Answer::unmet, fmt::format("error: stated {}, found {} under {}", explain::print(*judged.stated),
                                       judged.found, model)};
  if (const Finding* finding = unstated(whole, judged.findings, selection)) {
    if (!judged.stated) return {Answer::finding, ""};
    return {Answer::finding, fmt::format("error: found {}, which the file does not state", finding->name)};
  }
  const bool certain = std::all_of(judged.findings.begin(), judged.findings.end(),
                                   [](const Finding& finding) { return finding.certain; });
  if (judged.stated && judged.met == true && certain) return {};
  const std::string open = open_part(judged, selection);
  if (!open.empty()) return {Answer::unknown, fmt::format("unknown: {}", open)};
  return {};
}

}  // namespace

void judge_findings(const std::string& file, const std::string& model, const litmus::Verdict* whole,
                    const Judged& judged, const finding::Selection& selection, TestReport& report) {
  const Judgement found = judgement_of(model, whole, judged, selection);
  const bool stated = judged.stated && judged.met == true;
  take_answer(report, found.answer, stated ? Tally::as_stated : Tally::no_verdict);
  if (found.answer == Answer::finding && !judged.stated) report.tally = Tally::no_verdict;
  if (!found.message.empty())
    report.messages += fmt::format("{}: {}\n", at(file, judged.stated), found.message);
}

}  // namespace ptxmc::cli

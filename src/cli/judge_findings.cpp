// SPDX-License-Identifier: Apache-2.0
#include "cli/judge_findings.h"

#include <fmt/format.h>

#include <algorithm>

#include "explain/judgement.h"
#include "explain/rule_texts.h"

namespace ptxmc::cli {

using explain::Finding;

std::string at(const std::string& file, const std::optional<litmus::Verdict>& stated) {
  return stated ? place_of(file, stated->position) : file;
}

const Finding* unstated(const litmus::Verdict* stated, const std::vector<Finding>& findings,
                        const explain::Selection& selection) {
  const auto found = std::find_if(findings.begin(), findings.end(), [&](const Finding& finding) {
    const bool covered = stated != nullptr && explain::is_stated(*stated, finding);
    return finding.certain && !covered && selection.fails(finding.name, finding.severity);
  });
  return found == findings.end() ? nullptr : &*found;
}

void judge_findings(const std::string& file, const std::string& model, const litmus::Verdict* whole,
                    const Judged& judged, const explain::Selection& selection, TestReport& report) {
  const auto note = [&](Status status, Tally tally, const std::string& message) {
    report.status = status;
    report.tally = tally;
    if (!message.empty()) report.messages += fmt::format("{}: {}\n", at(file, judged.stated), message);
  };
  const bool fails = selection.fails(explain::kVerdictRule, Severity::error);
  if (judged.stated && judged.met == false && fails) {
    return note(Status::unmet, Tally::not_as_stated,
                fmt::format("error: stated {}, found {} under {}", explain::print(*judged.stated),
                            judged.found, model));
  }
  if (const Finding* finding = unstated(whole, judged.findings, selection)) {
    if (!judged.stated) return note(Status::unmet, Tally::no_verdict, "");
    return note(Status::unmet, Tally::not_as_stated,
                fmt::format("error: found {}, which the file does not state", finding->name));
  }
  const auto open = std::find_if(judged.findings.begin(), judged.findings.end(),
                                 [](const Finding& finding) { return !finding.certain; });
  if (judged.stated && judged.met == true && open == judged.findings.end())
    return note(Status::ok, Tally::as_stated, "");
  if (!judged.unknown.empty())
    return note(Status::unknown, Tally::unknown, fmt::format("unknown: {}", judged.unknown));
  if (open != judged.findings.end())
    return note(Status::unknown, Tally::unknown, fmt::format("unknown: perhaps {}", open->name));
  note(Status::ok, Tally::no_verdict, "");
}

}  // namespace ptxmc::cli

// SPDX-License-Identifier: Apache-2.0
#include "cli/judge_findings.h"

#include <fmt/format.h>

#include <algorithm>

#include "explain/judgement.h"

namespace ptxmc::cli {

using explain::Finding;

const Finding* unstated(const litmus::Verdict* stated, const std::vector<Finding>& findings) {
  const auto found = std::find_if(findings.begin(), findings.end(), [&](const Finding& finding) {
    const bool covered = stated != nullptr && explain::is_stated(*stated, finding);
    return finding.severity == Severity::error && finding.certain && !covered;
  });
  return found == findings.end() ? nullptr : &*found;
}

void judge_findings(const std::string& file, const std::string& model, const litmus::Verdict* whole,
                    const Judged& judged, TestReport& report) {
  const auto note = [&](Status status, Tally tally, const std::string& message) {
    report.status = status;
    report.tally = tally;
    if (!message.empty()) report.messages += fmt::format("{}: {}\n", file, message);
  };
  if (judged.stated && judged.met == false) {
    return note(Status::unmet, Tally::not_as_stated,
                fmt::format("error: stated {}, found {} under {}", explain::print(*judged.stated),
                            judged.found, model));
  }
  if (const Finding* finding = unstated(whole, judged.findings)) {
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

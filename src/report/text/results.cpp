// SPDX-License-Identifier: Apache-2.0
#include "report/text/results.h"

#include <fmt/format.h>

namespace ptxmc::report {

std::string results_text(const std::vector<VerifyResult>& results) {
  std::string out;
  std::size_t exact = 0, bounded = 0, waived = 0, found = 0, errors = 0;
  for (const VerifyResult& one : results) {
    const std::string name = one.launch.empty() ? one.input : fmt::format("{} ({})", one.input, one.launch);
    if (!one.error.empty()) {
      ++errors;
      const std::string first = one.error.substr(0, one.error.find('\n'));
      out += fmt::format("error    {}: {}\n", name, first);
      continue;
    }
    if (one.failed()) {
      ++found;
    } else if (one.answer == "exact") {
      ++exact;
    } else if (one.answer == "waived") {
      ++waived;
      out += fmt::format("waived      {}: every error is waived or known\n", name);
    } else {
      ++bounded;
      out += fmt::format("incomplete  {}: {}\n", name, one.bounded());
    }
    for (const VerifyResult::Finding& finding : one.findings) {
      if (one.failed() || finding.severity == "warning")
        out += fmt::format("{}  {}: {}\n", one.failed() ? "finding" : "incomplete", name, finding.text());
    }
  }
  const std::size_t all = results.size();
  return out + fmt::format(
                   "{} launch{}: {} without race or deadlock in any schedule, {} incomplete, {}{} with "
                   "findings, {} not verified\n",
                   all, all == 1 ? "" : "es", exact, bounded,
                   waived == 0 ? "" : fmt::format("{} waived, ", waived), found, errors);
}

}  // namespace ptxmc::report

// SPDX-License-Identifier: Apache-2.0
#include "report/text/liveness.h"

#include <fmt/format.h>

namespace ptxmc::report {

std::string liveness_text(const explain::LivenessOutcome& outcome) {
  const explain::WaitTeller teller(outcome);
  std::string out = fmt::format("Liveness {} {}\n", outcome.test.name, explain::answer_of(outcome.hangs));
  out += fmt::format("Progress {}\n", outcome.progress);
  if (outcome.bound)
    out += fmt::format("Loop cut: executions that enter a loop more than {} time{} were not looked at\n",
                       *outcome.bound, *outcome.bound == 1 ? "" : "s");
  if (!outcome.unknown.empty()) out += fmt::format("Flag unknown-{}\n", outcome.unknown);
  for (const std::string& text : teller.texts()) out += text;
  return out + fmt::format("Time {} {:.2f}\n\n", outcome.test.name, outcome.seconds);
}

}  // namespace ptxmc::report

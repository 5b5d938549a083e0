// SPDX-License-Identifier: Apache-2.0
#include "face/cli/stated_readings.h"

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "model/models.h"

namespace ptxmc::cli {

void judge_other_readings(const session::Session& session, const Options& options,
                          const session::Analysis& analysis, TestReport& report) {
  if (!session.readings().changed().empty()) return;
  std::set<std::vector<std::string>> done;
  for (const litmus::Verdict& verdict : analysis.test.verdicts) {
    const bool of_model = verdict.model.empty() || model::profile_name(verdict.model) == session.model_name();
    if (verdict.readings.empty() || !of_model || !done.insert(verdict.readings).second) continue;
    session::Settings settings = session.settings();
    settings.sensitivity = false;
    for (const std::string& reading : verdict.readings) settings.readings.set(reading);
    // Where the model's edition has one of them so, the file does not speak of what is left.
    if (settings.readings.changes().size() != verdict.readings.size()) continue;
    const session::Session other(std::move(settings));
    const TestReport found = present(other, options, check_test(other, analysis.test, analysis.budget));
    report.messages += found.messages;
    if (worse(report.status, found.status) != report.status) report.tally = found.tally;
    report.status = worse(report.status, found.status);
  }
}

}  // namespace ptxmc::cli

// SPDX-License-Identifier: Apache-2.0
#include "session/stated_verdict.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "finding/rules.h"
#include "model/models.h"
#include "support/diagnostic.h"
#include "support/nearest.h"

namespace ptxmc::session {

namespace {

void check_findings(const Session& session, const litmus::Verdict& verdict, Diagnostics& diagnostics) {
  if (!verdict.model.empty() && model::profile_name(verdict.model) != session.model_name()) return;
  std::vector<std::string> known;
  for (const finding::Rule& rule : finding::rules()) known.emplace_back(rule.name);
  for (const finding::FormerName& row : finding::former_names()) known.emplace_back(row.former);
  for (const relation::Constraint& flag : session.model().flags) known.push_back(flag.name);
  for (const std::string& finding : verdict.findings) {
    if (std::find(known.begin(), known.end(), finding) != known.end()) continue;
    const auto near = nearest(finding, known);
    diagnostics.error(verdict.position, "`" + finding + "` is no finding" +
                                            (near ? "; did you mean `" + *near + "`?" : std::string()));
  }
}

}  // namespace

void check_stated_verdict(const Session& session, const litmus::Test& test) {
  Diagnostics diagnostics(test.source);
  for (const litmus::Verdict& verdict : test.verdicts) {
    check_findings(session, verdict, diagnostics);
    model::Readings readings(model::edition_of(verdict.model));
    bool known = true;
    for (const std::string& reading : verdict.readings) {
      try {
        readings.set(reading);
      } catch (const std::invalid_argument& error) {
        diagnostics.error(verdict.position, error.what());
        known = false;
      }
    }
    std::vector<std::string> changed = readings.changed();
    std::sort(changed.begin(), changed.end());
    if (known && changed != verdict.readings) {
      diagnostics.error(verdict.position,
                        "`Verdict[...]` names readings that are not the default, and each of them once");
    }
  }
  if (diagnostics.has_errors()) throw InputError(diagnostics);
}

}  // namespace ptxmc::session

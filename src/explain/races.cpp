// SPDX-License-Identifier: Apache-2.0
#include "explain/races.h"

#include <algorithm>

#include "model/flag_rules.h"

namespace ptxmc::explain {

std::string_view name_of(RaceAnswer answer) {
  switch (answer) {
    case RaceAnswer::racy:
      return "Racy";
    case RaceAnswer::race_free:
      return "RaceFree";
    case RaceAnswer::unknown:
      return "Unknown";
  }
  return "";
}

std::vector<FlagOutcome> flags_of(const relation::MemoryModel& model, const check::RaceReport& races,
                                  const std::vector<check::Undefined>& misuses, bool open) {
  std::vector<FlagOutcome> out;
  for (const relation::Constraint& flag : model.flags) {
    const bool found =
        std::any_of(races.findings.begin(), races.findings.end(), [&](const check::Finding& f) {
          return std::find(f.flags.begin(), f.flags.end(), flag.name) != f.flags.end();
        });
    FlagOutcome one{flag.name, found, &model::rule_of(flag)};
    if (!found && open) one.raised.reset();
    out.push_back(std::move(one));
  }
  for (const check::Undefined& misuse : misuses) out.push_back({misuse.name, misuse.happens, misuse.rule});
  return out;
}

}  // namespace ptxmc::explain

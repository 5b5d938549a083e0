// SPDX-License-Identifier: Apache-2.0
#include "model/flag_rules.h"

#include <algorithm>

namespace ptxmc::model {

const finding::Rule& rule_of(const relation::Constraint& flag) {
  return flag.role.empty() ? finding::rule(finding::RuleId::own_flag) : finding::rule_named(flag.role);
}

bool knows_races(const relation::MemoryModel& model) {
  return std::any_of(model.flags.begin(), model.flags.end(), [](const relation::Constraint& flag) {
    return rule_of(flag).kind == finding::Kind::race;
  });
}

}  // namespace ptxmc::model

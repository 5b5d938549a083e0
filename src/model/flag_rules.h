// SPDX-License-Identifier: Apache-2.0
// Which rule a flag of a model stands for: the one that a `role` statement gives it (roles.h).
#pragma once

#include "finding/rules.h"
#include "model/relation/memory_model.h"

namespace ptxmc::model {

/// RuleId::own_flag where the flag has no role: a race by a definition of the user's own.
const finding::Rule& rule_of(const relation::Constraint& flag);
/// The model has flags that are races: it can say that a program has none.
bool knows_races(const relation::MemoryModel& model);

}  // namespace ptxmc::model

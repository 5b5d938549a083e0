// SPDX-License-Identifier: Apache-2.0
// The value of one named definition of a model in one execution, for graphs and explanations.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "axiomatic/recheck/naive_relations.h"
#include "model/roles.h"

namespace ptxmc::check {

using DefinitionValue = std::variant<EventSet, PairSet>;

/// A definition of the model, an order that it declares, or else a base set or relation; nothing when no such
/// name. The last definition counts where a name is defined twice.
std::optional<DefinitionValue> evaluate_definition(const NaiveInput& input, const std::string& name);

/// The relation that the model gives a role; nothing: it gives it none.
std::optional<PairSet> evaluate_role(const NaiveInput& input, model::Role role);
/// A base relation, whatever the model's text defines.
PairSet evaluate_base(const NaiveInput& input, const std::string& name);

}  // namespace ptxmc::check

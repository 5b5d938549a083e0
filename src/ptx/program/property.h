// SPDX-License-Identifier: Apache-2.0
// Property: what is asked of all executions of a program. Its final states meet a quantified condition; or, with no
// more to say about it, it is free of races, or it terminates.
#pragma once

#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

#include "ptx/program/condition.h"

namespace ptxmc::program {

enum class Quantifier : std::uint8_t { exists, not_exists, forall };

/// What a program asks of its final states. Nothing: `forall true`.
struct Property {
  Quantifier quantifier = Quantifier::exists;
  ConditionPtr condition;            // null: none is stated
  ConditionPtr filter;               // of the executions that count; null: all
  std::vector<StateName> locations;  // shown with the states, though the condition does not name them

  bool is_forall() const { return quantifier == Quantifier::forall || !condition; }
  /// An assertion: it holds in every final state.
  static Property always(ConditionPtr condition) {
    return {.quantifier = Quantifier::forall,
            .condition = std::move(condition),
            .filter = nullptr,
            .locations = {}};
  }
};

/// Which property of a program is judged.
enum class Question : std::uint8_t {
  final_states,  // Program::property
  race_freedom,  // 8.7.1
  termination,   // no thread waits forever
};

}  // namespace ptxmc::program

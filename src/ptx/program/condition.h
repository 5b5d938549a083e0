// SPDX-License-Identifier: Apache-2.0
// Conditions over final states.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "ptx/isa/isa.h"
#include "ptx/program/memory.h"
#include "support/source.h"

namespace ptxmc::program {

/// What a condition or `locations` may name: `P1:r0`, `1:r0`, `x`, `[x]`, `a[1]`.
struct StateName {
  std::optional<int> thread;  // set: a register of that thread
  std::string name;           // register (without %) or variable
  std::optional<std::uint32_t> element;
  Position position;
  friend bool operator==(const StateName& a, const StateName& b) {
    return a.thread == b.thread && a.name == b.name && a.element == b.element;
  }
};

struct Condition;
using ConditionPtr = std::shared_ptr<const Condition>;

/// Comparison operand: a state name, an integer, or the address of a variable (`P0:r1 == x` compares with x's
/// *value* in the short forms' suites, and `&x` with its address).
using ConditionTerm = std::variant<StateName, InitialValue>;

struct Comparison {
  isa::Compare op = isa::Compare::eq;
  ConditionTerm left, right;
};
struct Conjunction {
  std::vector<ConditionPtr> parts;
};  // /\, empty: true
struct Disjunction {
  std::vector<ConditionPtr> parts;
};  // \/, empty: false
struct Negation {
  ConditionPtr part;
};  // ~, not
struct Implication {
  ConditionPtr left, right;
};  // =>
struct Condition {
  std::variant<Comparison, Conjunction, Disjunction, Negation, Implication> node;
  Position position;
};

}  // namespace ptxmc::program

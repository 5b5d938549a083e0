// SPDX-License-Identifier: Apache-2.0
// One program of a `.test` file (nvidia.h) and what it says of its executions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "input/litmus/nvidia_condition.h"
#include "input/litmus/raw.h"

namespace ptxmc::litmus {

enum class PropertyKind : std::uint8_t { permit, assert_, require };

/// `permit (...) as name;`
struct NvidiaProperty {
  PropertyKind kind = PropertyKind::permit;
  std::string name;
  ConditionPtr condition;
  Position position;
};

/// `ld.weak r0, [x] == 2`: what a read must return.
struct Expectation {
  std::size_t thread = 0;  // into ParseState::threads
  Position instruction;
  isa::Compare op = isa::Compare::eq;
  std::int64_t value = 0;
  Position position;
};

struct NvidiaProgram {
  std::vector<NvidiaProperty> properties;
  std::vector<ConditionPtr> constraints;  // required conditions and expected values
};

/// Reads a whole text into `state`: variables, threads and their resolved code (ParseState::threads), without
/// a condition. Reports what is wrong to ParseState::errors.
NvidiaProgram parse_nvidia_program(ParseState& state, Cursor& cursor);

/// The constraint that an expected value is; `registers` are those of the thread. A read whose register is
/// written elsewhere too gets a copy of its value in a fresh register. Null: reported.
ConditionPtr expected_value(ParseState& state, std::set<std::string>& registers,
                            const Expectation& expectation);

}  // namespace ptxmc::litmus

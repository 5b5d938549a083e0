// SPDX-License-Identifier: Apache-2.0
// Values that the manual allows of an operand of an instruction on registers; with others its result is undefined.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "ptx/isa/isa.h"
#include "ptx/isa/operand.h"

namespace ptxmc::rules {

struct OperandLimit {
  isa::Opcode opcode;
  std::optional<isa::Variant> variant;  ///< of this form alone
  isa::Role operand;
  isa::Role other;  ///< with which it is compared; the operand itself: with none
  std::string_view wanted;
  bool (*holds)(std::uint64_t value, std::uint64_t other);
};

/// Null: each value has a meaning, or is not of an instruction on registers.
const OperandLimit* operand_limit(isa::Opcode opcode, const isa::Modifiers& modifiers);

}  // namespace ptxmc::rules

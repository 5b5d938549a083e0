// SPDX-License-Identifier: Apache-2.0
#include "ptx/rules/operands.h"

#include <bit>

namespace ptxmc::rules {

namespace {

using isa::Opcode;
using isa::Role;
using isa::Variant;

constexpr std::uint64_t kWord = 0xffffffff;

/// 9.7.1.17
bool is_bit_number(std::uint64_t value, std::uint64_t) {
  return (value & kWord) < 32;
}
/// 9.7.8.17: of cache accesses; a number of 32 bits.
bool is_fraction(std::uint64_t value, std::uint64_t) {
  const auto number = std::bit_cast<float>(static_cast<std::uint32_t>(value));
  return number > 0 && number <= 1;
}
/// 9.7.8.17: the primary range is a part of all.
bool is_part(std::uint64_t value, std::uint64_t whole) {
  return (value & kWord) <= (whole & kWord);
}

constexpr OperandLimit kLimits[] = {
    {Opcode::fns, {}, Role::b, Role::b, "a base of 0 to 31", is_bit_number},
    {Opcode::create_policy, Variant::fractional, Role::a, Role::a, "a fraction above 0 and up to 1",
     is_fraction},
    {Opcode::create_policy, Variant::range, Role::a, Role::b,
     "a primary size that is not above the total size", is_part},
};

}  // namespace

const OperandLimit* operand_limit(isa::Opcode opcode, const isa::Modifiers& modifiers) {
  for (const OperandLimit& limit : kLimits) {
    if (limit.opcode == opcode && (!limit.variant || modifiers.variants.has(*limit.variant))) return &limit;
  }
  return nullptr;
}

}  // namespace ptxmc::rules

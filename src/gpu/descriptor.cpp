// SPDX-License-Identifier: Apache-2.0
#include "gpu/descriptor.h"

#include "lower/matrix_layout.h"

namespace ptxmc::gpu {

namespace {

constexpr std::int64_t kUnit = 16;  // bytes
constexpr std::uint64_t kField = 0x3fff;

std::int64_t number(const litmus::Instruction& instruction, std::size_t i) {
  const auto* integer = i < instruction.operands.size()
                            ? std::get_if<litmus::Integer>(&instruction.operands[i].value)
                            : nullptr;
  return integer == nullptr ? 0 : integer->value;
}

// imm-trans-a, imm-trans-b: the last of the numbers behind the scales.
bool transposed(const litmus::Instruction& instruction, bool a) {
  const std::size_t first = instruction.modifiers.matrix.sparse ? 6 : 4;  // imm-scale-a
  const bool in_memory = !std::holds_alternative<litmus::VectorOperand>(instruction.operands[1].value);
  if (instruction.operands.size() <= first + 2) return false;
  return number(instruction, first + 2 + (a || !in_memory ? 0 : 1)) == 1;
}

std::uint64_t swizzle_code(std::int64_t bytes) {
  switch (bytes) {
    case 128:
      return 1;
    case 64:
      return 2;
    case 32:
      return 3;
    default:
      return 0;
  }
}

std::uint64_t field(std::int64_t bytes) {
  return static_cast<std::uint64_t>(bytes / kUnit) & kField;
}

}  // namespace

std::uint64_t descriptor_fields(const litmus::Instruction& instruction, std::size_t i) {
  const auto& descriptor = std::get<litmus::Descriptor>(instruction.operands[i].value);
  const isa::Matrix& m = instruction.modifiers.matrix;
  const bool a = i == 1;
  const lower::MatrixSize size = a ? lower::MatrixSize{m.m, m.sparse ? m.k / 2 : m.k, isa::bits_of(m.a)}
                                   : lower::MatrixSize{m.n, m.k, isa::bits_of(m.b)};
  const lower::MatrixLayout packed =
      lower::packed_layout(size, descriptor.swizzle, transposed(instruction, a));
  return field(descriptor.leading.value_or(packed.leading)) << 16 |
         field(descriptor.stride.value_or(packed.stride)) << 32 | swizzle_code(descriptor.swizzle) << 62;
}

}  // namespace ptxmc::gpu

// SPDX-License-Identifier: Apache-2.0
#include "gpu/descriptor.h"

#include "gpu/registers.h"
#include "lower/matrix_layout.h"
#include "lower/tensor_shapes.h"

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

// 9.7.16.4.1: the modes of tcgen05 have numbers of their own, and bits 46 to 48 are 1.
std::uint64_t tensor_fields(const litmus::Descriptor& descriptor, const lower::MatrixSize& size,
                            bool transposed) {
  const std::uint64_t mode = descriptor.swizzle == 128  ? 2
                             : descriptor.swizzle == 64 ? 4
                             : descriptor.swizzle == 32 ? 6
                                                        : 0;
  const lower::MatrixLayout packed = lower::packed_layout(size, descriptor.swizzle, transposed);
  return field(descriptor.leading.value_or(packed.leading)) << 16 |
         field(descriptor.stride.value_or(packed.stride)) << 32 | std::uint64_t{1} << 46 | mode << 61;
}

/// Of a tcgen05.cp, or of a tcgen05.mma whose instruction descriptor is a number.
std::optional<std::uint64_t> tensor_fields(const litmus::Instruction& instruction, std::size_t i) {
  const auto& descriptor = std::get<litmus::Descriptor>(instruction.operands[i].value);
  const isa::Tensor& t = instruction.modifiers.tensor;
  if (instruction.opcode == isa::Opcode::tcgen05_cp) {
    const lower::CopySource source = lower::copy_source(t);
    return tensor_fields(descriptor, {source.rows, source.bytes, 8}, false);
  }
  const auto* bits =
      std::get_if<litmus::Integer>(&instruction.operands[tensor_descriptor(instruction)].value);
  if (bits == nullptr) return std::nullopt;
  std::string error;
  const auto decoded = lower::decode_product(t, static_cast<std::uint32_t>(bits->value), error);
  if (!decoded) return std::nullopt;
  const lower::Product& product = *decoded;
  if (i == 1)
    return tensor_fields(descriptor,
                         {product.m / t.cta_group, t.sparse ? product.k / 2 : product.k, product.bits},
                         product.transpose_a);
  return tensor_fields(descriptor, {product.n / t.cta_group, product.k, product.bits}, product.transpose_b);
}

}  // namespace

std::optional<std::uint64_t> descriptor_fields(const litmus::Instruction& instruction, std::size_t i) {
  const bool tensor =
      instruction.opcode == isa::Opcode::tcgen05_mma || instruction.opcode == isa::Opcode::tcgen05_cp;
  if (tensor) return tensor_fields(instruction, i);
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

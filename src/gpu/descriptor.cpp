// SPDX-License-Identifier: Apache-2.0
#include "gpu/descriptor.h"

#include "footprint/matrix.h"
#include "footprint/tensor_memory.h"
#include "gpu/registers.h"

namespace ptxmc::gpu {

namespace {

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

/// A descriptor as a test writes it; what it leaves out is as in a matrix whose core matrices lie one behind the
/// other.
std::uint64_t encoded(footprint::MatrixUnit unit, const litmus::Descriptor& descriptor,
                      const footprint::MatrixSize& size, bool transposed) {
  footprint::MatrixLayout layout = footprint::packed_layout(size, descriptor.swizzle, transposed);
  layout.leading = descriptor.leading.value_or(layout.leading);
  layout.stride = descriptor.stride.value_or(layout.stride);
  return footprint::encode_descriptor(unit, {0, layout});
}

/// Of a tcgen05.cp, or of a tcgen05.mma whose instruction descriptor is a number.
std::optional<std::uint64_t> tensor_fields(const litmus::Instruction& instruction, std::size_t i) {
  const auto& descriptor = std::get<litmus::Descriptor>(instruction.operands[i].value);
  const isa::Tensor& t = instruction.modifiers.tensor;
  if (instruction.opcode == isa::Opcode::tcgen05_cp) {
    const footprint::CopySource source = footprint::copy_source(t);
    return encoded(footprint::MatrixUnit::tcgen05, descriptor, {source.rows, source.bytes, 8}, false);
  }
  const auto* bits =
      std::get_if<litmus::Integer>(&instruction.operands[tensor_descriptor(instruction)].value);
  if (bits == nullptr) return std::nullopt;
  std::string error;
  const auto decoded = footprint::decode_product(t, static_cast<std::uint32_t>(bits->value), error);
  if (!decoded) return std::nullopt;
  const footprint::Product& product = *decoded;
  if (i == 1)
    return encoded(footprint::MatrixUnit::tcgen05, descriptor,
                   {product.m / t.cta_group, t.sparse ? product.k / 2 : product.k, product.bits},
                   product.transpose_a);
  return encoded(footprint::MatrixUnit::tcgen05, descriptor,
                 {product.n / t.cta_group, product.k, product.bits}, product.transpose_b);
}

}  // namespace

std::optional<std::uint64_t> descriptor_fields(const litmus::Instruction& instruction, std::size_t i) {
  const bool tensor =
      instruction.opcode == isa::Opcode::tcgen05_mma || instruction.opcode == isa::Opcode::tcgen05_cp;
  if (tensor) return tensor_fields(instruction, i);
  const auto& descriptor = std::get<litmus::Descriptor>(instruction.operands[i].value);
  const isa::Matrix& m = instruction.modifiers.matrix;
  const bool a = i == 1;
  const footprint::MatrixSize size =
      a ? footprint::MatrixSize{m.m, m.sparse ? m.k / 2 : m.k, isa::bits_of(m.a)}
        : footprint::MatrixSize{m.n, m.k, isa::bits_of(m.b)};
  return encoded(footprint::MatrixUnit::wgmma, descriptor, size, transposed(instruction, a));
}

}  // namespace ptxmc::gpu

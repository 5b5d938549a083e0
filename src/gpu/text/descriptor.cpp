// SPDX-License-Identifier: Apache-2.0
#include "gpu/text/descriptor.h"

#include "ptx/footprint/matrix.h"
#include "ptx/footprint/tensor_memory.h"

namespace ptxmc::gpu {

using isa::Role;

namespace {

// imm-trans-a, imm-trans-b
bool transposed(const program::Instruction& instruction, bool a) {
  const program::Operand* number = instruction.find(a ? Role::transpose_a : Role::transpose_b);
  const auto* integer = number == nullptr ? nullptr : std::get_if<program::Integer>(&number->value);
  return integer != nullptr && integer->value == 1;
}

/// A descriptor as a test writes it; what it leaves out is as in a matrix whose core matrices lie one after
/// the other.
std::uint64_t encoded(footprint::MatrixUnit unit, const program::Descriptor& descriptor,
                      const footprint::MatrixSize& size, bool transposed) {
  footprint::MatrixLayout layout = footprint::packed_layout(size, descriptor.swizzle, transposed);
  layout.leading = descriptor.leading.value_or(layout.leading);
  layout.stride = descriptor.stride.value_or(layout.stride);
  return footprint::encode_descriptor(unit, {0, layout});
}

/// The descriptor of a tcgen05.cp, or of a tcgen05.mma whose instruction descriptor is a number.
std::optional<std::uint64_t> tensor_fields(const program::Instruction& instruction, Role role) {
  const auto& descriptor = std::get<program::Descriptor>(instruction.operand(role).value);
  const isa::Tensor& t = instruction.modifiers.tensor;
  if (instruction.opcode == isa::Opcode::tcgen05_cp) {
    const footprint::CopySource source = footprint::copy_source(t);
    return encoded(footprint::MatrixUnit::tcgen05, descriptor, {source.rows, source.bytes, 8}, false);
  }
  const auto* bits = std::get_if<program::Integer>(&instruction.operand(Role::descriptor).value);
  if (bits == nullptr) return std::nullopt;
  std::string error;
  const auto decoded = footprint::decode_product(t, static_cast<std::uint32_t>(bits->value), error);
  if (!decoded) return std::nullopt;
  const footprint::Product& product = *decoded;
  if (role == Role::a)
    return encoded(footprint::MatrixUnit::tcgen05, descriptor,
                   {product.m / t.cta_group, t.sparse ? product.k / 2 : product.k, product.bits},
                   product.transpose_a);
  return encoded(footprint::MatrixUnit::tcgen05, descriptor,
                 {product.n / t.cta_group, product.k, product.bits}, product.transpose_b);
}

}  // namespace

std::optional<std::uint64_t> descriptor_fields(const program::Instruction& instruction, Role role) {
  if (isa::traits(instruction.opcode).family == isa::Family::tensor) return tensor_fields(instruction, role);
  const auto& descriptor = std::get<program::Descriptor>(instruction.operand(role).value);
  const isa::Matrix& m = instruction.modifiers.matrix;
  const bool a = role == Role::a;
  const footprint::MatrixSize size =
      a ? footprint::MatrixSize{m.m, m.sparse ? m.k / 2 : m.k, isa::bits_of(m.a)}
        : footprint::MatrixSize{m.n, m.k, isa::bits_of(m.b)};
  return encoded(footprint::MatrixUnit::wgmma, descriptor, size, transposed(instruction, a));
}

}  // namespace ptxmc::gpu

// SPDX-License-Identifier: Apache-2.0
#include "ptx/rules/reductions.h"

#include "ptx/isa/table.h"

namespace ptxmc::rules {

using isa::TensorElement;

namespace {

/// The types of floating-point elements.
std::optional<isa::Type> reduced_number(isa::AtomicOp op, TensorElement element) {
  const bool extremum = op == isa::AtomicOp::min || op == isa::AtomicOp::max;
  if (op != isa::AtomicOp::add && !extremum) return std::nullopt;
  switch (element) {
    case TensorElement::f16:
      return isa::parse_type("f16");
    case TensorElement::bf16:
      return isa::parse_type("bf16");
    case TensorElement::f32:
    case TensorElement::f32_ftz:
      return extremum ? std::nullopt : isa::parse_type("f32");
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<isa::Type> reduced_type(isa::AtomicOp op, TensorElement element) {
  using enum isa::TypeClass;
  if (element >= TensorElement::f16) return reduced_number(op, element);
  const bool wide = element == TensorElement::u64 || element == TensorElement::s64;
  const bool is_signed = element == TensorElement::s32 || element == TensorElement::s64;
  const bool word = element == TensorElement::u32 || element == TensorElement::s32;
  if (!wide && !word) return std::nullopt;
  const isa::Type type{is_signed ? signed_ : unsigned_, static_cast<std::uint16_t>(wide ? 64 : 32)};
  switch (op) {
    case isa::AtomicOp::add:
      return wide && is_signed ? std::nullopt : std::optional(type);
    case isa::AtomicOp::min:
    case isa::AtomicOp::max:
      return type;
    case isa::AtomicOp::inc:
    case isa::AtomicOp::dec:
      return element == TensorElement::u32 ? std::optional(type) : std::nullopt;
    default:
      return isa::Type{bits, type.bits};
  }
}

}  // namespace ptxmc::rules

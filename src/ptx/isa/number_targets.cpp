// SPDX-License-Identifier: Apache-2.0
#include "ptx/isa/number_targets.h"

#include "ptx/isa/opcode.h"

namespace ptxmc::isa {
namespace {

constexpr Target k80{70, 80, false}, k86{72, 86, false}, k89{81, 89, false}, k90{78, 90, false},
    k100{86, 100, false}, kTiny{86, 100, true};  // numbers of 4 and 6 bits, and bare exponents

/// Numbers of 16 bits with the exponent of .f32: conversions, fma, min, max, neg and abs came first.
Target brain_target(Opcode opcode) {
  switch (opcode) {
    case Opcode::cvt:
    case Opcode::fma:
    case Opcode::min:
    case Opcode::max:
    case Opcode::neg:
    case Opcode::abs:
      return k80;
    default:
      return k90;
  }
}

Target format_target(Opcode opcode, Float format) {
  switch (format) {
    case Float::bf16:
    case Float::bf16x2:
      return brain_target(opcode);
    case Float::f16:
    case Float::f16x2:
      return opcode == Opcode::min || opcode == Opcode::max ? k80 : Target{};
    case Float::tf32:
      return k80;
    case Float::f32x2:
      return k100;
    case Float::e4m3x2:
    case Float::e5m2x2:
      return k89;
    case Float::e2m3x2:
    case Float::e3m2x2:
    case Float::e2m1x2:
    case Float::ue8m0x2:
    case Float::e4m3x4:
    case Float::e5m2x4:
    case Float::e2m3x4:
    case Float::e3m2x4:
    case Float::e2m1x4:
      return kTiny;
    default:
      return {};
  }
}

Float format_of(const std::optional<Type>& type) {
  return type ? type->format : Float::none;
}

/// 9.7.8.20: from .f32 to .bf16 and back came first.
Target conversion_target(const Modifiers& m) {
  const Float to = format_of(m.type), from = format_of(m.source_type);
  Target target;
  if (to == Float::f16x2 && from == Float::f32) target = both(target, k80);
  const auto brain_alone = [](Float one, Float other) {
    return one == Float::bf16 && other != Float::f32 && other != Float::bf16;
  };
  if (brain_alone(to, from) || brain_alone(from, to)) target = both(target, k90);
  if (to == Float::tf32 && !m.variants.has(Variant::rna)) {
    target = both(target, m.variants.has(Variant::satfinite) ? k100 : k90);
  }
  return target;
}

Target variants_target(Opcode opcode, const Modifiers& m) {
  Target target;
  if (m.variants.has(Variant::not_a_number)) target = both(target, k80);
  if (m.variants.has(Variant::xorsign)) target = both(target, k86);
  if (m.variants.has(Variant::oob)) target = both(target, k90);
  const bool whole = m.type && !m.type->is_floating();
  if (m.variants.has(Variant::relu)) target = both(target, whole && opcode != Opcode::cvt ? k90 : k80);
  return target;
}

}  // namespace

Target target_of_numbers(Opcode opcode, const Modifiers& m) {
  if (traits(opcode).family != Family::arithmetic) return {};
  Target target =
      both(format_target(opcode, format_of(m.type)), format_target(opcode, format_of(m.source_type)));
  if (opcode == Opcode::cvt) target = both(target, conversion_target(m));
  return both(target, variants_target(opcode, m));
}

}  // namespace ptxmc::isa

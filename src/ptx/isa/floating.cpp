// SPDX-License-Identifier: Apache-2.0
// Instructions on floating numbers (9.7.3 to 9.7.6): a row a form and type, as the manual lists them.
#include <vector>

#include "ptx/isa/places.h"
#include "ptx/isa/table.h"

namespace ptxmc::isa {

namespace {

using namespace places;  // NOLINT: their names are what the lists below consist of

constexpr std::string_view kRoundings = "rn rz rm rp";

// ---- Groups -------------------------------------------------------------------------------------------------
constexpr Choice kRnd[] = {{Group::rounding, kRoundings}};
constexpr Choice kRndFtz[] = {{Group::rounding, kRoundings}, {Group::flush, "ftz"}};
constexpr Choice kRndFtzSat[] = {
    {Group::rounding, kRoundings}, {Group::flush, "ftz"}, {Group::clamping, "sat"}};
constexpr Choice kRndSat[] = {{Group::rounding, kRoundings}, {Group::clamping, "sat"}};
constexpr Choice kMustRndSat[] = {{Group::rounding, kRoundings, true}, {Group::clamping, "sat"}};
constexpr Choice kMustRnd[] = {{Group::rounding, kRoundings, true}};
constexpr Choice kMustRndFtz[] = {{Group::rounding, kRoundings, true}, {Group::flush, "ftz"}};
constexpr Choice kMustRndFtzSat[] = {
    {Group::rounding, kRoundings, true}, {Group::flush, "ftz"}, {Group::clamping, "sat"}};
constexpr Choice kRn[] = {{Group::rounding, "rn"}};
constexpr Choice kRnFtzSat[] = {{Group::rounding, "rn"}, {Group::flush, "ftz"}, {Group::clamping, "sat"}};
constexpr Choice kHalfFma[] = {{Group::rounding, "rn", true},
                               {Group::flush, "ftz"},
                               {Group::clamping, "sat"},
                               {Group::out_of_bounds, "oob"},
                               {Group::rectification, "relu"}};
constexpr Choice kBrainFma[] = {
    {Group::rounding, "rn", true}, {Group::out_of_bounds, "oob"}, {Group::rectification, "relu"}};
constexpr Choice kFtz[] = {{Group::flush, "ftz"}};
constexpr Choice kMustFtz[] = {{Group::flush, "ftz", true}};
constexpr Choice kExtremum[] = {
    {Group::flush, "ftz"}, {Group::nan, "NaN"}, {Group::sign, "xorsign"}, {Group::magnitude, "abs"}};
constexpr Choice kBrainExtremum[] = {
    {Group::nan, "NaN"}, {Group::sign, "xorsign"}, {Group::magnitude, "abs"}};
constexpr std::string_view kRelations = "eq ne lt le gt ge equ neu ltu leu gtu geu num nan";
constexpr Choice kCompareFlushed[] = {
    {Group::compare, kRelations, true}, {Group::combine, "and or xor"}, {Group::flush, "ftz"}};
constexpr Choice kCompareExact[] = {{Group::compare, kRelations, true}, {Group::combine, "and or xor"}};
constexpr Choice kClass[] = {
    {Group::number_class, "finite infinite number notanumber normal subnormal", true}};

// ---- Operand places -----------------------------------------------------------------------------------------
constexpr Place kBinaryOrTernary[] = {kTo, kA, kB, optional(kC)};
// In mixed precision (8.6) all but the last are of the source type.
constexpr Place kMixedBinary[] = {kTo, source(Role::a, Width::source), kB};
constexpr Place kMixedTernary[] = {kTo, source(Role::a, Width::source), source(Role::b, Width::source), kC};
constexpr Place kTested[] = {to(Width::predicate), kA};
constexpr Place kSelected[] = {kTo, kA, kB, predicate()};
constexpr Place kComparedNumbers[] = {to(Width::predicate, Kind::destination_or_pair), kA, kB,
                                      when(combines, predicate())};
constexpr Place kComparedPairs[] = {to(Width::predicate, Kind::destination_pair), kA, kB,
                                    when(combines, predicate())};

// ---- Types --------------------------------------------------------------------------------------------------
struct Named {
  std::string_view name;
  Float format;
  std::uint16_t bits;
};
constexpr Named kF16{"f16", Float::f16, 16}, kBf16{"bf16", Float::bf16, 16}, kF32{"f32", Float::f32, 32},
    kF64{"f64", Float::f64, 64}, kF16x2{"f16x2", Float::f16x2, 32}, kBf16x2{"bf16x2", Float::bf16x2, 32},
    kF32x2{"f32x2", Float::f32x2, 64};

constexpr Form form(std::string_view base, Named type, Opcode opcode, std::span<const Place> operands,
                    std::span<const Choice> choices) {
  Modifiers m;
  m.type = Type{TypeClass::floating, type.bits, type.format};
  return {base, type.name, opcode, operands, choices, "", m};
}

/// The same, where one more word chooses the row.
constexpr Form form(std::string_view base, std::string_view selector, Named type, Opcode opcode,
                    std::span<const Place> operands, std::span<const Choice> choices, Variant variant) {
  Form out = form(base, type, opcode, operands, choices);
  out.selector = selector;
  out.defaults.variants.add(variant);
  return out;
}

/// In mixed precision: of .f32, from numbers of 16 bits.
constexpr Form mixed(std::string_view base, std::string_view selector, Named source, Opcode opcode,
                     std::span<const Place> operands, std::span<const Choice> choices) {
  Form out = form(base, kF32, opcode, operands, choices);
  out.selector = selector;
  out.defaults.source_type = Type{TypeClass::floating, source.bits, source.format};
  return out;
}

constexpr auto kFloatingForms = std::to_array<Form>({
    // 9.7.3.3 to 9.7.3.5, 9.7.4.1 to 9.7.4.3
    form("add", kF32, Opcode::add, kBinary, kRndFtzSat),
    form("add", kF32x2, Opcode::add, kBinary, kRndFtz),
    form("add", kF64, Opcode::add, kBinary, kRnd),
    form("add", kF16, Opcode::add, kBinary, kRnFtzSat),
    form("add", kF16x2, Opcode::add, kBinary, kRnFtzSat),
    form("add", kBf16, Opcode::add, kBinary, kRn),
    form("add", kBf16x2, Opcode::add, kBinary, kRn),
    mixed("add", "f32 f16", kF16, Opcode::add, kMixedBinary, kRndSat),
    mixed("add", "f32 bf16", kBf16, Opcode::add, kMixedBinary, kRndSat),
    form("sub", kF32, Opcode::sub, kBinary, kRndFtzSat),
    form("sub", kF32x2, Opcode::sub, kBinary, kRndFtz),
    form("sub", kF64, Opcode::sub, kBinary, kRnd),
    form("sub", kF16, Opcode::sub, kBinary, kRnFtzSat),
    form("sub", kF16x2, Opcode::sub, kBinary, kRnFtzSat),
    form("sub", kBf16, Opcode::sub, kBinary, kRn),
    form("sub", kBf16x2, Opcode::sub, kBinary, kRn),
    mixed("sub", "f32 f16", kF16, Opcode::sub, kMixedBinary, kRndSat),
    mixed("sub", "f32 bf16", kBf16, Opcode::sub, kMixedBinary, kRndSat),
    form("mul", kF32, Opcode::mul, kBinary, kRndFtzSat),
    form("mul", kF32x2, Opcode::mul, kBinary, kRndFtz),
    form("mul", kF64, Opcode::mul, kBinary, kRnd),
    form("mul", kF16, Opcode::mul, kBinary, kRnFtzSat),
    form("mul", kF16x2, Opcode::mul, kBinary, kRnFtzSat),
    form("mul", kBf16, Opcode::mul, kBinary, kRn),
    form("mul", kBf16x2, Opcode::mul, kBinary, kRn),
    // 9.7.3.6, 9.7.3.7, 9.7.4.4
    form("fma", kF32, Opcode::fma, kTernary, kMustRndFtzSat),
    form("fma", kF32x2, Opcode::fma, kTernary, kMustRndFtz),
    form("fma", kF64, Opcode::fma, kTernary, kMustRnd),
    form("fma", kF16, Opcode::fma, kTernary, kHalfFma),
    form("fma", kF16x2, Opcode::fma, kTernary, kHalfFma),
    form("fma", kBf16, Opcode::fma, kTernary, kBrainFma),
    form("fma", kBf16x2, Opcode::fma, kTernary, kBrainFma),
    mixed("fma", "f32 f16", kF16, Opcode::fma, kMixedTernary, kMustRndSat),
    mixed("fma", "f32 bf16", kBf16, Opcode::fma, kMixedTernary, kMustRndSat),
    form("mad", kF32, Opcode::mad, kTernary, kMustRndFtzSat),
    form("mad", kF64, Opcode::mad, kTernary, kMustRnd),
    // 9.7.3.8, 9.7.3.13 to 9.7.3.22, 9.7.4.9, 9.7.4.10
    form("div", kF32, Opcode::div, kBinary, kMustRndFtz),
    form("div", "approx f32", kF32, Opcode::div, kBinary, kFtz, Variant::approx),
    form("div", "full f32", kF32, Opcode::div, kBinary, kFtz, Variant::full),
    form("div", kF64, Opcode::div, kBinary, kMustRnd),
    form("rcp", kF32, Opcode::rcp, kUnary, kMustRndFtz),
    form("rcp", "approx f32", kF32, Opcode::rcp, kUnary, kFtz, Variant::approx),
    form("rcp", kF64, Opcode::rcp, kUnary, kMustRnd),
    form("rcp", "approx f64", kF64, Opcode::rcp, kUnary, kMustFtz, Variant::approx),
    form("sqrt", kF32, Opcode::sqrt, kUnary, kMustRndFtz),
    form("sqrt", "approx f32", kF32, Opcode::sqrt, kUnary, kFtz, Variant::approx),
    form("sqrt", kF64, Opcode::sqrt, kUnary, kMustRnd),
    form("rsqrt", "approx f32", kF32, Opcode::rsqrt, kUnary, kFtz, Variant::approx),
    form("rsqrt", "approx f64", kF64, Opcode::rsqrt, kUnary, kFtz, Variant::approx),
    form("sin", "approx f32", kF32, Opcode::sin, kUnary, kFtz, Variant::approx),
    form("cos", "approx f32", kF32, Opcode::cos, kUnary, kFtz, Variant::approx),
    form("lg2", "approx f32", kF32, Opcode::lg2, kUnary, kFtz, Variant::approx),
    form("ex2", "approx f32", kF32, Opcode::ex2, kUnary, kFtz, Variant::approx),
    form("ex2", "approx f16", kF16, Opcode::ex2, kUnary, {}, Variant::approx),
    form("ex2", "approx f16x2", kF16x2, Opcode::ex2, kUnary, {}, Variant::approx),
    form("ex2", "approx bf16", kBf16, Opcode::ex2, kUnary, kMustFtz, Variant::approx),
    form("ex2", "approx bf16x2", kBf16x2, Opcode::ex2, kUnary, kMustFtz, Variant::approx),
    form("tanh", "approx f32", kF32, Opcode::tanh, kUnary, {}, Variant::approx),
    form("tanh", "approx f16", kF16, Opcode::tanh, kUnary, {}, Variant::approx),
    form("tanh", "approx f16x2", kF16x2, Opcode::tanh, kUnary, {}, Variant::approx),
    form("tanh", "approx bf16", kBf16, Opcode::tanh, kUnary, {}, Variant::approx),
    form("tanh", "approx bf16x2", kBf16x2, Opcode::tanh, kUnary, {}, Variant::approx),
    // 9.7.3.9 to 9.7.3.12, 9.7.4.5 to 9.7.4.8
    form("abs", kF32, Opcode::abs, kUnary, kFtz),
    form("abs", kF64, Opcode::abs, kUnary, {}),
    form("abs", kF16, Opcode::abs, kUnary, kFtz),
    form("abs", kF16x2, Opcode::abs, kUnary, kFtz),
    form("abs", kBf16, Opcode::abs, kUnary, {}),
    form("abs", kBf16x2, Opcode::abs, kUnary, {}),
    form("neg", kF32, Opcode::neg, kUnary, kFtz),
    form("neg", kF64, Opcode::neg, kUnary, {}),
    form("neg", kF16, Opcode::neg, kUnary, kFtz),
    form("neg", kF16x2, Opcode::neg, kUnary, kFtz),
    form("neg", kBf16, Opcode::neg, kUnary, {}),
    form("neg", kBf16x2, Opcode::neg, kUnary, {}),
    form("min", kF32, Opcode::min, kBinaryOrTernary, kExtremum),
    form("min", kF64, Opcode::min, kBinary, {}),
    form("min", kF16, Opcode::min, kBinary, kExtremum),
    form("min", kF16x2, Opcode::min, kBinary, kExtremum),
    form("min", kBf16, Opcode::min, kBinary, kBrainExtremum),
    form("min", kBf16x2, Opcode::min, kBinary, kBrainExtremum),
    form("max", kF32, Opcode::max, kBinaryOrTernary, kExtremum),
    form("max", kF64, Opcode::max, kBinary, {}),
    form("max", kF16, Opcode::max, kBinary, kExtremum),
    form("max", kF16x2, Opcode::max, kBinary, kExtremum),
    form("max", kBf16, Opcode::max, kBinary, kBrainExtremum),
    form("max", kBf16x2, Opcode::max, kBinary, kBrainExtremum),
    // 9.7.3.1, 9.7.3.2
    form("testp", kF32, Opcode::testp, kTested, kClass),
    form("testp", kF64, Opcode::testp, kTested, kClass),
    form("copysign", kF32, Opcode::copysign, kBinary, {}),
    form("copysign", kF64, Opcode::copysign, kBinary, {}),
    // 9.7.5.2, 9.7.5.3, 9.7.6.2
    form("setp", kF32, Opcode::setp, kComparedNumbers, kCompareFlushed),
    form("setp", kF64, Opcode::setp, kComparedNumbers, kCompareExact),
    form("setp", kF16, Opcode::setp, kComparedNumbers, kCompareFlushed),
    form("setp", kF16x2, Opcode::setp, kComparedPairs, kCompareFlushed),
    form("setp", kBf16, Opcode::setp, kComparedNumbers, kCompareExact),
    form("setp", kBf16x2, Opcode::setp, kComparedPairs, kCompareExact),
    form("selp", kF32, Opcode::selp, kSelected, {}),
    form("selp", kF64, Opcode::selp, kSelected, {}),
});
static_assert(are_sound(kFloatingForms), "each place has a role: result or reduced where it is written");

}  // namespace

std::span<const Form> floating_forms() {
  return kFloatingForms;
}

}  // namespace ptxmc::isa

// SPDX-License-Identifier: Apache-2.0
// Floating numbers of 32 and 64 bits, rounded to nearest even (9.7.3). Approximations and other roundings are not evaluated,
// and of other formats that alone which they are in 32 bits.
#include <algorithm>
#include <bit>
#include <cfenv>
#include <cmath>
#include <limits>

#include "dynamic/exec/arithmetic.h"
#include "ptx/integer/arithmetic.h"
#include "ptx/isa/compare.h"

namespace ptxmc::exec {

namespace {

using isa::Modifiers;
using isa::Opcode;
using isa::Variant;

template <typename T>
struct Format;
template <>
struct Format<float> {
  using Bits = std::uint32_t;
  static constexpr Bits kNotANumber = 0x7fffffff;  // 9.7.3: of f32, the canonical one
};
template <>
struct Format<double> {
  using Bits = std::uint64_t;
  static constexpr Bits kNotANumber = 0xfff8000000000000;
};

template <typename T>
T number(std::uint64_t pattern, bool flushes) {
  const T value = std::bit_cast<T>(static_cast<typename Format<T>::Bits>(pattern));
  return flushes && std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(T{0}, value) : value;
}

template <typename T>
std::uint64_t pattern(T value, bool flushes) {
  if (std::isnan(value)) return Format<T>::kNotANumber;
  if (flushes && std::fpclassify(value) == FP_SUBNORMAL) value = std::copysign(T{0}, value);
  return std::bit_cast<typename Format<T>::Bits>(value);
}

/// How many numbers the function takes, from 1 to 3.
template <auto f>
constexpr std::size_t kOperands = std::is_invocable_v<decltype(f), float>          ? 1
                                  : std::is_invocable_v<decltype(f), float, float> ? 2
                                                                                   : 3;

/// The function of as many of these numbers as it takes.
template <auto f, typename T>
T result_of(T x, T y, T z) {
  if constexpr (kOperands<f> == 1) {
    return f(x);
  } else if constexpr (kOperands<f> == 2) {
    return f(x, y);
  } else {
    return f(x, y, z);
  }
}

/// The row of an operand; of one that the function does not take, that of its last.
template <auto f>
const Row& operand(const Row* rows, const Step& step, std::size_t number) {
  return rows[step.sources[std::min(number, kOperands<f> - 1)]];
}

template <typename T, auto f, bool flushes>
void apply(Row* rows, const Step& step, LaneMask mask) {
  const Row &a = operand<f>(rows, step, 0), &b = operand<f>(rows, step, 1), &c = operand<f>(rows, step, 2);
  Row& to = rows[step.to];
  for_lanes(mask, [&](unsigned l) {
    const T result =
        result_of<f>(number<T>(a[l], flushes), number<T>(b[l], flushes), number<T>(c[l], flushes));
    to[l] = pattern(result, flushes);
  });
}

template <auto f>
Compute of_format(const Modifiers& m) {
  if (m.type->format == isa::Float::f64) return apply<double, f, false>;
  return m.variants.has(Variant::ftz) ? apply<float, f, true> : apply<float, f, false>;
}

constexpr auto kAdd = [](auto x, decltype(x) y) { return x + y; };
constexpr auto kSub = [](auto x, decltype(x) y) { return x - y; };
constexpr auto kMul = [](auto x, decltype(x) y) { return x * y; };
constexpr auto kDiv = [](auto x, decltype(x) y) { return x / y; };
constexpr auto kFma = [](auto x, decltype(x) y, decltype(x) z) { return std::fma(x, y, z); };
constexpr auto kRcp = [](auto x) { return decltype(x){1} / x; };
constexpr auto kSqrt = [](auto x) { return std::sqrt(x); };
// -0 is less than +0, and a number wins over what is none (9.7.3.11, 9.7.3.12).
constexpr auto kMin = [](auto x, decltype(x) y) {
  if (std::isnan(x)) return y;
  if (std::isnan(y)) return x;
  return x < y || (x == y && std::signbit(x)) ? x : y;
};
constexpr auto kMax = [](auto x, decltype(x) y) {
  if (std::isnan(x)) return y;
  if (std::isnan(y)) return x;
  return x > y || (x == y && !std::signbit(x)) ? x : y;
};
constexpr auto kMin3 = [](auto x, decltype(x) y, decltype(x) z) { return kMin(kMin(x, y), z); };
constexpr auto kMax3 = [](auto x, decltype(x) y, decltype(x) z) { return kMax(kMax(x, y), z); };
constexpr auto kNeg = [](auto x) { return -x; };
constexpr auto kAbs = [](auto x) { return std::fabs(x); };

/// Are these all the words that choose its function?
bool only(const Modifiers& m, std::initializer_list<Variant> known) {
  isa::Variants rest;
  for (const Variant variant : known) {
    if (m.variants.has(variant)) rest.add(variant);
  }
  return rest == m.variants;
}

template <typename T>
void compare(Row* rows, const Step& step, LaneMask mask) {
  const Modifiers& m = step.modifiers();
  const bool flushes = m.variants.has(Variant::ftz), unordered = m.variants.has(Variant::unordered);
  const Row &a = rows[step.sources[0]], &b = rows[step.sources[1]];
  for_lanes(mask, [&](unsigned l) {
    const T x = number<T>(a[l], flushes), y = number<T>(b[l], flushes);
    const bool numbers = !std::isnan(x) && !std::isnan(y);
    bool truth = numbers ? isa::holds(m.compare, x < y, x == y) : unordered;
    if (m.variants.has(Variant::numbers)) truth = numbers;
    if (m.variants.has(Variant::no_numbers)) truth = !numbers;
    bool opposite = !truth;
    if (m.combine != isa::BoolOp::none) {
      const bool p =
          ((rows[step.slot(isa::Role::predicate)][l] & 1U) != 0) != step.is_negated(isa::Role::predicate);
      const auto with = [&](bool t) {
        return m.combine == isa::BoolOp::and_ ? t && p : m.combine == isa::BoolOp::or_ ? t || p : t != p;
      };
      truth = with(truth);
      opposite = with(opposite);
    }
    if (step.to != kNoSlot) rows[step.to][l] = truth ? 1 : 0;
    if (step.second != kNoSlot) rows[step.second][l] = opposite ? 1 : 0;
  });
}

template <typename To, typename From>
void between_formats(Row* rows, const Step& step, LaneMask mask) {
  const bool flushes = step.modifiers().variants.has(Variant::ftz);
  const Row& a = rows[step.sources[0]];
  for_lanes(mask, [&](unsigned l) {
    const From x = number<From>(a[l], flushes && sizeof(From) == 4);
    rows[step.to][l] = pattern(static_cast<To>(x), flushes && sizeof(To) == 4);
  });
}

/// A number of 16 bits, of which so many are its fraction (5.2.3): each is one of 32.
template <unsigned kFraction>
float half_number(std::uint64_t bits) {
  constexpr std::uint64_t kExponents = (1U << (15U - kFraction)) - 1;
  constexpr int kBias = kExponents / 2;
  const std::uint64_t fraction = bits & ((1U << kFraction) - 1), exponent = bits >> kFraction & kExponents;
  float value = std::numeric_limits<float>::quiet_NaN();
  if (exponent != kExponents) {
    const std::uint64_t digits = exponent == 0 ? fraction : fraction | 1U << kFraction;
    value = std::ldexp(static_cast<float>(digits),
                       std::max(static_cast<int>(exponent), 1) - kBias - static_cast<int>(kFraction));
  } else if (fraction == 0) {
    value = std::numeric_limits<float>::infinity();
  }
  return (bits >> 15U & 1U) != 0 ? -value : value;
}

template <unsigned kFraction>
void from_half(Row* rows, const Step& step, LaneMask mask) {
  const Row& a = rows[step.sources[0]];
  for_lanes(mask, [&](unsigned l) { rows[step.to][l] = pattern(half_number<kFraction>(a[l]), false); });
}

/// In mixed precision all operands but the last are numbers of 16 bits.
template <unsigned kFraction, auto f>
void apply_mixed(Row* rows, const Step& step, LaneMask mask) {
  const Row &a = operand<f>(rows, step, 0), &b = operand<f>(rows, step, 1), &last = operand<f>(rows, step, 2);
  for_lanes(mask, [&](unsigned l) {
    const float x = half_number<kFraction>(a[l]), z = number<float>(last[l], false);
    const float y = kOperands<f> == 2 ? z : half_number<kFraction>(b[l]);
    rows[step.to][l] = pattern(result_of<f>(x, y, z), false);
  });
}

template <auto f>
Compute mixed(const Modifiers& m) {
  return m.source_type->format == isa::Float::f16 ? apply_mixed<10, f> : apply_mixed<7, f>;
}

/// Two numbers of 32 bits (PTX ISA 8.6).
template <auto f, bool flushes>
void apply_pairs(Row* rows, const Step& step, LaneMask mask) {
  constexpr unsigned kHalf = 32;
  const Row &a = operand<f>(rows, step, 0), &b = operand<f>(rows, step, 1), &c = operand<f>(rows, step, 2);
  for_lanes(mask, [&](unsigned l) {
    std::uint64_t result = 0;
    for (const unsigned shift : {0U, kHalf}) {
      const auto half = [&](const Row& row) { return number<float>(row[l] >> shift, flushes); };
      result |= pattern(result_of<f>(half(a), half(b), half(c)), flushes) << shift;
    }
    rows[step.to][l] = result;
  });
}

template <auto f>
Compute pairs(const Modifiers& m) {
  return m.variants.has(Variant::ftz) ? apply_pairs<f, true> : apply_pairs<f, false>;
}

template <typename To>
void from_integer(Row* rows, const Step& step, LaneMask mask) {
  const isa::Type from = *step.modifiers().source_type;
  const auto width = static_cast<integer::Width>(from.bits);
  const Row& a = rows[step.sources[0]];
  for_lanes(mask, [&](unsigned l) {
    const To value = from.is_signed() ? static_cast<To>(integer::as_signed(a[l], width))
                                      : static_cast<To>(integer::wrap(a[l], width));
    rows[step.to][l] = pattern(value, false);
  });
}

/// Rounded as its word says; what does not fit is the nearest integer that does, and what is no number is zero of 32 bits
/// and less (9.7.8.20).
template <typename From>
void to_integer(Row* rows, const Step& step, LaneMask mask) {
  const Modifiers& m = step.modifiers();
  const auto width = static_cast<integer::Width>(m.type->bits);
  const bool is_signed = m.type->is_signed();
  const From low = is_signed ? -std::ldexp(From{1}, width - 1) : From{0};
  const From beyond = std::ldexp(From{1}, is_signed ? width - 1 : width);
  const integer::Pattern most = integer::mask(static_cast<integer::Width>(is_signed ? width - 1 : width));
  const Row& a = rows[step.sources[0]];
  for_lanes(mask, [&](unsigned l) {
    From x = number<From>(a[l], m.variants.has(Variant::ftz));
    if (m.variants.has(Variant::rzi)) x = std::trunc(x);
    if (m.variants.has(Variant::rmi)) x = std::floor(x);
    if (m.variants.has(Variant::rpi)) x = std::ceil(x);
    if (m.variants.has(Variant::rni)) x = std::nearbyint(x);
    integer::Pattern result = 0;
    if (std::isnan(x)) {
      result = width == 64 ? integer::Pattern{1} << 63U : 0;
    } else if (x <= low) {
      result = is_signed ? most + 1 : 0;
    } else if (x >= beyond) {
      result = most;
    } else {
      result = is_signed ? static_cast<integer::Pattern>(static_cast<std::int64_t>(x))
                         : static_cast<integer::Pattern>(x);
    }
    rows[step.to][l] = integer::wrap(result, width);
  });
}

bool is_single_or_double(const isa::Type& type) {
  return type.format == isa::Float::f32 || type.format == isa::Float::f64;
}

Compute convert_of(const Modifiers& m) {
  if (!m.type || !m.source_type) return nullptr;
  const isa::Type to = *m.type, from = *m.source_type;
  const bool to_64 = to.format == isa::Float::f64, from_64 = from.format == isa::Float::f64;
  if (to.is_floating() && from.is_floating()) {
    if (to.format == isa::Float::f32 && only(m, {}) && from.format == isa::Float::f16) return from_half<10>;
    if (to.format == isa::Float::f32 && only(m, {}) && from.format == isa::Float::bf16) return from_half<7>;
    if (!is_single_or_double(to) || !is_single_or_double(from) || !only(m, {Variant::rn, Variant::ftz}))
      return nullptr;
    if (to_64 != from_64) return to_64 ? between_formats<double, float> : between_formats<float, double>;
    return nullptr;  // rounds to an integer, or copies
  }
  if (to.is_floating()) {
    if (!is_single_or_double(to) || !only(m, {Variant::rn, Variant::ftz})) return nullptr;
    return to_64 ? from_integer<double> : from_integer<float>;
  }
  const bool rounds = m.variants.has(Variant::rni) || m.variants.has(Variant::rzi) ||
                      m.variants.has(Variant::rmi) || m.variants.has(Variant::rpi);
  if (!is_single_or_double(from) || !rounds ||
      !only(m, {Variant::rni, Variant::rzi, Variant::rmi, Variant::rpi, Variant::ftz}))
    return nullptr;
  return from_64 ? to_integer<double> : to_integer<float>;
}

Compute arithmetic_of(Opcode opcode, const Modifiers& m) {
  switch (opcode) {
    case Opcode::add:
      return of_format<kAdd>(m);
    case Opcode::sub:
      return of_format<kSub>(m);
    case Opcode::mul:
      return of_format<kMul>(m);
    case Opcode::fma:
    case Opcode::mad:
      return of_format<kFma>(m);
    case Opcode::min:
      return of_format<kMin>(m);
    case Opcode::max:
      return of_format<kMax>(m);
    case Opcode::neg:
      return of_format<kNeg>(m);
    case Opcode::abs:
      return of_format<kAbs>(m);
    case Opcode::div:
      return m.variants.has(Variant::rn) ? of_format<kDiv>(m) : nullptr;
    case Opcode::rcp:
      return m.variants.has(Variant::rn) ? of_format<kRcp>(m) : nullptr;
    case Opcode::sqrt:
      return m.variants.has(Variant::rn) ? of_format<kSqrt>(m) : nullptr;
    default:
      return nullptr;
  }
}

Compute mixed_of(Opcode opcode, const Modifiers& m) {
  if (!only(m, {Variant::rn})) return nullptr;
  switch (opcode) {
    case Opcode::add:
      return mixed<kAdd>(m);
    case Opcode::sub:
      return mixed<kSub>(m);
    case Opcode::fma:
      return mixed<kFma>(m);
    default:
      return nullptr;
  }
}

/// Without a rounding a product may be fused with a sum.
Compute pairs_of(Opcode opcode, const Modifiers& m) {
  if (!only(m, {Variant::rn, Variant::ftz}) || !m.variants.has(Variant::rn)) return nullptr;
  switch (opcode) {
    case Opcode::add:
      return pairs<kAdd>(m);
    case Opcode::sub:
      return pairs<kSub>(m);
    case Opcode::mul:
      return pairs<kMul>(m);
    case Opcode::fma:
      return pairs<kFma>(m);
    default:
      return nullptr;
  }
}

/// It names no rounding.
bool may_be_fused(const program::Instruction& instruction) {
  const Modifiers& m = instruction.modifiers;
  return m.type && is_single_or_double(*m.type) && !m.source_type && only(m, {Variant::ftz});
}

}  // namespace

bool is_rounded_product(const Modifiers& m, std::uint64_t a, std::uint64_t b) {
  if (m.type->format == isa::Float::f64) {
    const double x = number<double>(a, false), y = number<double>(b, false), product = x * y;
    return !std::isnan(product) && std::fma(x, y, -product) != 0;
  }
  const bool flushes = m.variants.has(Variant::ftz);
  const float x = number<float>(a, flushes), y = number<float>(b, flushes), product = x * y;
  return !std::isnan(product) && double{product} != double{x} * double{y};  // which is exact
}

bool is_product(const program::Instruction& instruction) {
  return instruction.opcode == Opcode::mul && may_be_fused(instruction);
}

bool takes_product(const program::Instruction& instruction) {
  const bool sum = instruction.opcode == Opcode::add || instruction.opcode == Opcode::sub;
  return sum && may_be_fused(instruction);
}

Compute floating_compute_of(const program::Instruction& instruction) {
  const Modifiers& m = instruction.modifiers;
  if (instruction.opcode == Opcode::cvt) return convert_of(m);
  if (m.type && m.type->format == isa::Float::f32x2) return pairs_of(instruction.opcode, m);
  if (!m.type || !is_single_or_double(*m.type)) return nullptr;
  if (m.source_type) return mixed_of(instruction.opcode, m);
  if (instruction.opcode == Opcode::setp)
    return m.type->format == isa::Float::f64 ? compare<double> : compare<float>;
  if (!only(m, {Variant::rn, Variant::ftz})) return nullptr;
  const bool least = instruction.opcode == Opcode::min;
  if ((least || instruction.opcode == Opcode::max) && instruction.find(isa::Role::c) != nullptr)
    return least ? of_format<kMin3>(m) : of_format<kMax3>(m);
  return arithmetic_of(instruction.opcode, m);
}

}  // namespace ptxmc::exec

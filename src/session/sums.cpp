// SPDX-License-Identifier: Apache-2.0
#include "session/sums.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace ptxmc::session {

namespace {

using event::Expr;
using event::Node;
using event::Op;

// Factors and numbers are below 2^48, and parts of a sum fewer than 2^8 of less than 2^33 each: what is added up fits.
constexpr std::int64_t kLargest = std::int64_t{1} << 48U, kLargestFactor = std::int64_t{1} << 20U;
constexpr std::size_t kMostParts = 200;
constexpr unsigned kDeepest = 512, kWidestPart = 32, kWholeBits = 64;

bool is_small(std::int64_t number, std::int64_t bound) {
  return -bound < number && number < bound;
}

/// Nothing: it is too large.
std::optional<Sum> plus(const Sum& a, const Sum& b, std::int64_t factor) {
  if (!is_small(factor, kLargestFactor)) return std::nullopt;
  Sum out = a;
  const auto add = [&](std::int64_t& to, std::int64_t what) {
    const __int128 sum = __int128{to} + __int128{what} * factor;
    if (sum <= -kLargest || sum >= kLargest) return false;
    to = static_cast<std::int64_t>(sum);
    return true;
  };
  if (!add(out.number, b.number)) return std::nullopt;
  for (const auto& [part, times] : b.times) {
    std::int64_t& now = out.times[part];
    if (!add(now, times) || !is_small(now, kLargestFactor)) return std::nullopt;
    if (now == 0) out.times.erase(part);
  }
  if (out.times.size() > kMostParts) return std::nullopt;
  return out;
}

}  // namespace

/// The largest number, without a sign, that a value of up to 64 bits may be; kLargest: a larger one, for all that is known.
std::int64_t Sums::most_of(Expr value, unsigned depth) const {
  constexpr unsigned kMostDepth = 24;
  const Node& node = pool_[value];
  const std::int64_t most = node.width > kWidestPart ? kLargest : (std::int64_t{1} << node.width) - 1;
  if (depth == kMostDepth) return most;
  const auto of = [&](Expr operand) { return most_of(operand, depth + 1); };
  const bool by_number =
      node.op == Op::shr_u || node.op == Op::rem_u || node.op == Op::div_u || node.op == Op::shl;
  if (by_number && !pool_.is_constant(node.b)) return most;
  const event::Value number = by_number ? pool_[node.b].constant : 0;
  constexpr event::Value kMostShift = 32;
  switch (node.op) {
    case Op::constant:
      return node.constant < 0 || node.constant > most ? most : static_cast<std::int64_t>(node.constant);
    case Op::and_:
    case Op::min_u:
      return std::min({most, of(node.a), of(node.b)});
    case Op::or_:
    case Op::xor_:  // all bits below the highest one
      return std::min(most, static_cast<std::int64_t>(std::bit_ceil(
                                static_cast<std::uint64_t>(std::max(of(node.a), of(node.b))) + 1)) -
                                1);
    case Op::max_u:
      return std::min(most, std::max(of(node.a), of(node.b)));
    case Op::ite:
      return std::min(most, std::max(of(node.b), of(node.c)));
    case Op::zero_extend:
    case Op::truncate:
      return std::min(most, of(node.a));
    case Op::shr_u:
      return number < 0 || number >= kWholeBits
                 ? most
                 : std::min(most, shifted_most(node.a, static_cast<unsigned>(number), depth + 1));
    case Op::shl: {
      const std::int64_t operand = of(node.a);
      return number < 0 || number >= kMostShift || operand > most >> static_cast<unsigned>(number)
                 ? most
                 : operand << static_cast<unsigned>(number);
    }
    case Op::div_u:
      return number <= 0 ? most : std::min(most, of(node.a));
    case Op::rem_u:
      return number <= 0 ? most
                         : std::min<std::int64_t>(
                               most, static_cast<std::int64_t>(std::min<event::Value>(number - 1, most)));
    default:
      return most;
  }
}

/// The most of a value without so many of its lowest bits; of a product, which may have all 64 bits.
std::int64_t Sums::shifted_most(Expr value, unsigned by, unsigned depth) const {
  const Node& node = pool_[value];
  const std::int64_t most = most_of(value, depth);
  if (node.op == Op::mul && node.width == kWholeBits && pool_.is_constant(node.b) &&
      pool_[node.b].constant > 0) {
    const std::int64_t factor = most_of(node.a, depth + 1);
    const __int128 product = __int128{factor} * pool_[node.b].constant;
    if (factor < kLargest && product < (__int128{1} << kWholeBits))
      return static_cast<std::int64_t>(std::min<__int128>(product >> by, kLargest));
  }
  return most == kLargest ? kLargest : most >> by;
}

/// A power of 2 that each number which a value may be is a multiple of.
std::int64_t Sums::unit_of(Expr value, unsigned depth) const {
  constexpr unsigned kMostDepth = 24;
  if (depth == kMostDepth) return 1;
  const Node& node = pool_[value];
  const auto of = [&](Expr operand) { return unit_of(operand, depth + 1); };
  const auto by = [&](std::int64_t unit, std::int64_t factor) {
    return std::min(unit * factor, kLargestFactor);
  };
  switch (node.op) {
    case Op::constant:
      return node.constant == 0 ? kLargestFactor : std::min(node.constant & -node.constant, kLargestFactor);
    case Op::and_:
      return std::max(of(node.a), of(node.b));
    case Op::or_:
    case Op::xor_:
    case Op::add:
    case Op::sub:
      return std::min(of(node.a), of(node.b));
    case Op::ite:
      return std::min(of(node.b), of(node.c));
    case Op::mul:
      return by(of(node.a), of(node.b));
    case Op::shl: {
      constexpr event::Value kMostShift = 20;
      const event::Value number = pool_.is_constant(node.b) ? pool_[node.b].constant : 0;
      return by(of(node.a),
                number < 0 || number > kMostShift ? 1 : std::int64_t{1} << static_cast<unsigned>(number));
    }
    case Op::zero_extend:
    case Op::sign_extend:
    case Op::truncate:
      return of(node.a);
    default:
      return 1;
  }
}

/// The bounds of a part: without a sign, or with it where the part is extended by its sign.
SumFacts::Bounds Sums::bounds_of(Expr part, const SumFacts& known) const {
  const Node& node = pool_[part];
  const bool is_signed = node.op == Op::sign_extend;
  const Expr value = is_signed ? node.a : part;
  const std::int64_t most = most_of(value);
  SumFacts::Bounds out{0, most};
  if (const auto said = known.bounds(value)) out = {said->least, std::min(said->most, most)};
  if (!is_signed) return out;
  const std::int64_t half = std::int64_t{1} << (pool_[value].width - 1U);
  if (out.most < half) return out;
  return {-half, half - 1};
}

/// A part that is no sum itself.
std::optional<Sum> Sums::part(Expr value) const {
  const Node& node = pool_[value];
  const unsigned width = node.op == Op::sign_extend ? pool_[node.a].width : node.width;
  const bool is_small = width <= kWidestPart || most_of(value) < std::int64_t{1} << kWidestPart;
  if (width == event::kUnbounded || !is_small) return std::nullopt;
  return Sum{{{value, 1}}, 0};
}

std::optional<Sum> Sums::of(Expr value) {
  if (const auto known = known_.find(value); known != known_.end()) return known->second;
  if (depth_ == kDeepest) return std::nullopt;
  ++depth_;
  std::optional<Sum> out = made(value);
  --depth_;
  return known_[value] = std::move(out);
}

/// It is 0 or 1, and so is the sum.
std::optional<Sum> Sums::truth(Expr value) {
  if (pool_.is_constant(value)) return Sum{{}, pool_.is_true(value) ? 1 : 0};
  if (pool_[value].op != Op::not_) return part(value);
  const std::optional<Sum> other = of(pool_[value].a);
  return other ? plus({{}, 1}, *other, -1) : std::nullopt;
}

std::optional<Sum> Sums::made(Expr value) {
  const Node node = pool_[value];
  if (node.width == event::kUnbounded) return std::nullopt;
  if (node.width == 1) return truth(value);
  const auto operand = [&](Expr one, const Sum& to, std::int64_t factor) -> std::optional<Sum> {
    const std::optional<Sum> sum = of(one);
    return sum ? plus(to, *sum, factor) : std::nullopt;
  };
  constexpr event::Value kMostShift = 20;
  std::optional<Sum> out;
  switch (node.op) {
    case Op::constant:
      out = Sum{{}, event::as_signed(node.constant, node.width)};
      return is_small(out->number, kLargest) ? out : std::nullopt;
    case Op::add:
    case Op::sub:
      out = operand(node.a, {}, 1);
      if (out) out = operand(node.b, *out, node.op == Op::add ? 1 : -1);
      break;
    case Op::mul:
      if (pool_.is_constant(node.b))
        out = operand(node.a, {}, event::as_signed(pool_[node.b].constant, node.width));
      break;
    case Op::shl:
      if (pool_.is_constant(node.b) && pool_[node.b].constant >= 0 &&
          pool_[node.b].constant < std::min<event::Value>(kMostShift, node.width))
        out = operand(node.a, {}, std::int64_t{1} << static_cast<unsigned>(pool_[node.b].constant));
      break;
    case Op::truncate:
      out = of(node.a);
      break;
    case Op::zero_extend:
    case Op::sign_extend:
      out = extended(node);
      break;
    case Op::ite:
      out = chosen(node);
      break;
    default:
      break;
  }
  return out ? out : part(value);
}

/// As the sum itself, where that is in the range of the narrower width.
std::optional<Sum> Sums::extended(const Node& node) {
  const std::optional<Sum> sum = of(node.a);
  const unsigned from = pool_[node.a].width;
  if (!sum || from > kWidestPart) return std::nullopt;
  const SumRange range = this->range(*sum, SumFacts());
  const bool is_signed = node.op == Op::sign_extend;
  if (from == 1) return plus({}, *sum, is_signed ? -1 : 1);
  const std::int64_t least = is_signed ? -(std::int64_t{1} << (from - 1)) : 0,
                     most = (std::int64_t{1} << (is_signed ? from - 1 : from)) - 1;
  if (range.least >= least && range.most <= most) return sum;
  return is_signed ? std::nullopt : part(node.a);
}

/// One of two numbers, as a truth value says.
std::optional<Sum> Sums::chosen(const Node& node) {
  if (!pool_.is_constant(node.b) || !pool_.is_constant(node.c)) return std::nullopt;
  const std::optional<Sum> then = of(node.b), otherwise = of(node.c), condition = of(node.a);
  if (!then || !otherwise || !condition) return std::nullopt;
  return plus(*otherwise, *condition, then->number - otherwise->number);
}

std::optional<Sum> Sums::difference(const Sum& a, const Sum& b) {
  return plus(a, b, -1);
}

/// Compilers divide by a number through a product: x / d is (x * m) >> s for all x up to M if 0 <= e = m * d - 2^s and e * M < 2^s. For
/// x * m = (x / d) * 2^s + r with r = (x mod d) * 2^s / d + x * e / d, which is below 2^s then.
std::optional<Sums::Quotient> Sums::quotient_of(Expr value, std::int64_t divisor) const {
  const Node& shift = pool_[whole_of(value)];
  constexpr event::Value kMostShift = 62;
  if (divisor <= 1 || shift.op != Op::shr_u || shift.width != kWholeBits || !pool_.is_constant(shift.b))
    return std::nullopt;
  const Node& product = pool_[shift.a];
  const event::Value by = pool_[shift.b].constant;
  if (product.op != Op::mul || !pool_.is_constant(product.b) || by < 1 || by > kMostShift)
    return std::nullopt;
  const Expr dividend = whole_of(product.a);
  const event::Value factor = pool_[product.b].constant;
  const std::int64_t most = most_of(dividend);
  if (factor <= 0 || most >= std::int64_t{1} << kWidestPart) return std::nullopt;
  const __int128 power = __int128{1} << static_cast<unsigned>(by), error = __int128{factor} * divisor - power;
  const bool fits = __int128{most} * factor < (__int128{1} << kWholeBits) && most_of(value) >= most / divisor;
  if (!fits || error < 0 || error * most >= power) return std::nullopt;
  return Quotient{dividend, divisor};
}

/// What a value was before it got other widths that hold all of it.
Expr Sums::whole_of(Expr value) const {
  const std::int64_t most = most_of(value);
  for (Expr now = value;;) {
    const Node& node = pool_[now];
    if (node.op != Op::truncate && node.op != Op::zero_extend) return now;
    if (most_of(node.a) > most) return now;
    now = node.a;
  }
}

/// Where the sum has x some times and x / d so many times less d, these are x mod d. True: they were, and are in `out`.
bool Sums::add_remainder(const Sum& sum, Expr quotient, std::map<Expr, std::int64_t>& rest,
                         SumRange& out) const {
  const std::int64_t less = rest.at(quotient);
  for (const auto& [part, times] : sum.times) {
    if (times == 0 || less % times != 0 || part == quotient || !rest.contains(part)) continue;
    const std::optional<Quotient> found = quotient_of(quotient, -(less / times));
    if (!found || found->dividend != whole_of(part)) continue;
    const std::int64_t most = times * (found->divisor - 1);
    (most > 0 ? out.most : out.least) += most;
    out.step = std::gcd(out.step, times);
    rest.erase(quotient);
    rest.erase(part);
    return true;
  }
  return false;
}

SumRange Sums::range(const Sum& sum, const SumFacts& known) const {
  SumRange out{sum.number, sum.number, 0};
  std::map<Expr, std::int64_t> rest = sum.times;
  for (const auto& [part, times] : sum.times) {
    if (rest.contains(part) && sum.times.size() > 1) add_remainder(sum, part, rest, out);
  }
  for (const auto& [part, times] : rest) {
    SumFacts::Bounds bounds{0, 1};
    if (pool_[part].width == 1) {
      const std::optional<bool> truth = known.truth(part);
      if (truth) bounds = {*truth ? 1 : 0, *truth ? 1 : 0};
    } else {
      bounds = bounds_of(part, known);
    }
    const std::int64_t unit = pool_[part].width == 1 ? 1 : unit_of(part);
    bounds.most -= bounds.most % unit;  // of numbers that are not negative, else less than that is said
    if (bounds.least >= 0) bounds.least += (unit - bounds.least % unit) % unit;
    out.least += times * (times > 0 ? bounds.least : bounds.most);
    out.most += times * (times > 0 ? bounds.most : bounds.least);
    if (bounds.least != bounds.most) out.step = std::gcd(out.step, times * (bounds.least >= 0 ? unit : 1));
  }
  return out;
}

}  // namespace ptxmc::session

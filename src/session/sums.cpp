// SPDX-License-Identifier: Apache-2.0
#include "session/sums.h"

#include <algorithm>
#include <numeric>

namespace ptxmc::session {

namespace {

using event::Expr;
using event::Node;
using event::Op;

// Factors and numbers are below 2^48, and parts of a sum fewer than 2^8 of less than 2^33 each: what is added up fits.
constexpr std::int64_t kLargest = std::int64_t{1} << 48U, kLargestFactor = std::int64_t{1} << 20U;
constexpr std::size_t kMostParts = 200;
constexpr unsigned kDeepest = 512, kWidestPart = 32;

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

std::int64_t Sums::most_of(Expr part) const {
  const Node& node = pool_[part];
  std::int64_t most = (std::int64_t{1} << node.width) - 1;
  if (node.op != Op::and_) return most;
  for (const Expr operand : {node.a, node.b}) {
    if (pool_.is_constant(operand)) most = std::min<std::int64_t>(most, pool_[operand].constant);
  }
  return most;
}

/// A part that is no sum itself.
std::optional<Sum> Sums::part(Expr value) const {
  const unsigned width = pool_[value].width;
  if (width == event::kUnbounded || width > kWidestPart) return std::nullopt;
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
  const SumRange range = this->range(*sum, [](Expr) { return std::nullopt; });
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

SumRange Sums::range(const Sum& sum, const Truth& truth) const {
  SumRange out{sum.number, sum.number, 0};
  for (const auto& [part, times] : sum.times) {
    if (pool_[part].width == 1) {
      if (const std::optional<bool> known = truth(part)) {
        out.least += *known ? times : 0;
        out.most += *known ? times : 0;
        continue;
      }
    }
    (times > 0 ? out.most : out.least) += times * most_of(part);
    out.step = std::gcd(out.step, times);
  }
  return out;
}

}  // namespace ptxmc::session

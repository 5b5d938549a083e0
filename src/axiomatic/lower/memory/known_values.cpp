// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/lower/memory/known_values.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace ptxmc::lower {
namespace {

using event::Expr;
using event::Node;
using event::Op;
using event::Value;
using event::Width;

constexpr std::size_t kMaxValues = 16;
constexpr int kMaxFreeBits = 4;  // 16 values
constexpr std::size_t kMaxCombinations = 256;

std::uint64_t mask_of(Width width) {
  return width == event::kUnbounded ? 0 : width >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
}

/// The bits that all values agree on; of many values those bits alone, of few free bits all that they can be.
Known normal(Known known, Width width) {
  const std::uint64_t mask = mask_of(width);
  if (known.values && !known.values->empty()) {
    known.zeros = known.ones = mask;
    for (const Value value : *known.values) {
      known.ones &= static_cast<std::uint64_t>(value);
      known.zeros &= ~static_cast<std::uint64_t>(value);
    }
    if (known.values->size() > kMaxValues) known.values.reset();
  }
  const std::uint64_t free = mask & ~(known.zeros | known.ones);
  if (known.values || width == event::kUnbounded || std::popcount(free) > kMaxFreeBits) return known;
  known.values.emplace();
  for (std::uint64_t some = free;; some = (some - 1) & free) {
    known.values->insert(event::wrap(static_cast<Value>(known.ones | some), width));
    if (some == 0) return known;
  }
}

/// How many of the lowest bits are known.
int low_bits(const Known& known) {
  return std::countr_one(known.zeros | known.ones);
}

std::uint64_t low_mask(int bits) {
  return bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
}

/// The lowest bits of a result are those of the lowest bits of the operands.
Known low_result(Op op, Width width, const Known& a, const Known& b) {
  const std::uint64_t low = low_mask(std::min(low_bits(a), low_bits(b))) & mask_of(width);
  const auto result = static_cast<std::uint64_t>(
      event::apply(op, width, width, static_cast<Value>(a.ones & low), static_cast<Value>(b.ones & low)));
  return {~result & low, result & low, std::nullopt};
}

Known sum(Width width, const Known& a, const Known& b) {
  const std::uint64_t mask = mask_of(width);
  if ((~a.zeros & ~b.zeros & mask) == 0)  // nothing to carry
    return {a.zeros & b.zeros, a.ones | b.ones, std::nullopt};
  return low_result(Op::add, width, a, b);
}

Known product(Width width, const Known& a, const Known& b) {
  Known out = low_result(Op::mul, width, a, b);
  out.zeros |= low_mask(std::countr_one(a.zeros) + std::countr_one(b.zeros)) & mask_of(width) & ~out.ones;
  return out;
}

Known shifted(Op op, Width width, const Known& a, const Known& by) {
  if (!by.values || by.values->size() != 1) return Known::anything();
  const auto count = static_cast<std::uint64_t>(*by.values->begin());
  const std::uint64_t mask = mask_of(width);
  if (count >= width) return Known::anything();  // finite, or rare
  const std::uint64_t vacated = op == Op::shl ? low_mask(static_cast<int>(count)) : mask & ~(mask >> count);
  if (op == Op::shl) return {((a.zeros << count) | vacated) & mask, (a.ones << count) & mask, std::nullopt};
  Known out{a.zeros >> count, a.ones >> count, std::nullopt};
  const std::uint64_t sign = std::uint64_t{1} << (width - 1);
  if (op == Op::shr_u || (a.zeros & sign) != 0) {
    out.zeros |= vacated;
  } else if ((a.ones & sign) != 0) {
    out.ones |= vacated;
  }
  return out;
}

Known extended(const Node& node, Width from, const Known& a) {
  const std::uint64_t added = mask_of(node.width) & ~mask_of(from), sign = std::uint64_t{1} << (from - 1);
  Known out{a.zeros, a.ones, std::nullopt};
  if (node.op == Op::zero_extend || (a.zeros & sign) != 0) {
    out.zeros |= added;
  } else if ((a.ones & sign) != 0) {
    out.ones |= added;
  }
  return out;
}

Known truth(std::optional<bool> value) {
  return value ? Known::of({*value ? 1 : 0}, 1) : Known::of({0, 1}, 1);
}

/// The comparison of two patterns of one width.
Known compared(Op op, Width width, const Known& a, const Known& b) {
  if (op == Op::eq || op == Op::ne) {
    const bool differ = ((a.ones & b.zeros) | (a.zeros & b.ones)) != 0;
    return truth(differ ? std::optional<bool>(op == Op::ne) : std::nullopt);
  }
  const std::uint64_t most_a = ~a.zeros & mask_of(width), most_b = ~b.zeros & mask_of(width);
  if (op == Op::lt_u) {
    if (most_a < b.ones) return truth(true);
    if (a.ones >= most_b) return truth(false);
  } else if (op == Op::le_u) {
    if (most_a <= b.ones) return truth(true);
    if (a.ones > most_b) return truth(false);
  }
  return truth(std::nullopt);
}

/// The result of operands that may be many values, by their bits.
Known by_bits(const Node& node, Width from, const Known& a, const Known& b) {
  switch (node.op) {
    case Op::and_:
      return {a.zeros | b.zeros, a.ones & b.ones, std::nullopt};
    case Op::or_:
      return {a.zeros & b.zeros, a.ones | b.ones, std::nullopt};
    case Op::xor_:
      return {(a.zeros & b.zeros) | (a.ones & b.ones), (a.zeros & b.ones) | (a.ones & b.zeros), std::nullopt};
    case Op::not_:
      return {a.ones, a.zeros, std::nullopt};
    case Op::add:
      return sum(node.width, a, b);
    case Op::sub:
      return low_result(Op::sub, node.width, a, b);
    case Op::mul:
      return product(node.width, a, b);
    case Op::shl:
    case Op::shr_u:
    case Op::shr_s:
      return shifted(node.op, node.width, a, b);
    case Op::sign_extend:
    case Op::zero_extend:
      return extended(node, from, a);
    case Op::truncate:
      return {a.zeros & mask_of(node.width), a.ones & mask_of(node.width), std::nullopt};
    default:
      return node.width == 1 ? compared(node.op, from, a, b) : Known::anything();
  }
}

}  // namespace

Known Known::of(std::set<Value> values, Width width) {
  return normal({0, 0, std::move(values)}, width);
}

bool Known::may_be(Value value) const {
  if (values) return values->contains(value);
  const auto bits = static_cast<std::uint64_t>(value);
  return (bits & zeros) == 0 && (~bits & ones) == 0;
}

Known joined(const Known& a, const Known& b, Width width) {
  if (a.is_nothing()) return b;
  if (b.is_nothing()) return a;
  if (!a.values || !b.values) return normal({a.zeros & b.zeros, a.ones & b.ones, std::nullopt}, width);
  Known both{0, 0, a.values};
  both.values->insert(b.values->begin(), b.values->end());
  return normal(std::move(both), width);
}

Known known_of_atom(const event::ExprPool& pool, const Node& atom) {
  if (atom.op != Op::term || atom.width == event::kUnbounded) return Known::anything();
  const event::Term& term = pool.terms()[atom.atom];
  if (!term.is_place || term.alignment <= 0) return Known::anything();
  return {low_mask(std::countr_zero(static_cast<std::uint64_t>(term.alignment))), 0, std::nullopt};
}

const Known& KnownValues::of(Expr root) {
  if (const auto known = memo_.find(root.index); known != memo_.end()) return known->second;
  std::vector<Expr> open = {root};  // unrolled loops make expressions deeper than the call stack
  while (!open.empty()) {
    const Expr e = open.back();
    if (memo_.contains(e.index)) {
      open.pop_back();
      continue;
    }
    const Node& node = pool_[e];
    const Expr all[] = {node.a, node.b, node.c};
    const std::size_t before = open.size();
    for (int i = 0; i < event::arity(node.op); ++i) {
      if (!memo_.contains(all[i].index)) open.push_back(all[i]);
    }
    if (open.size() != before) continue;
    open.pop_back();
    memo_.emplace(e.index, compute(node));
  }
  return memo_.at(root.index);
}

Known KnownValues::compute(const Node& node) const {
  if (node.op == Op::constant) return Known::of({node.constant}, node.width);
  const int arity = event::arity(node.op);
  if (arity == 0) return atoms_(node);
  if (node.op == Op::ite) return choice(node);
  std::vector<const Known*> operands = {&known(node.a)};
  if (arity > 1) operands.push_back(&known(node.b));
  if (std::any_of(operands.begin(), operands.end(),
                  [](const Known* operand) { return operand->is_nothing(); }))
    return Known::nothing();
  if (node.op == Op::opaque) return Known::anything();
  if (auto few = pointwise(node, operands)) return std::move(*few);
  const Width from = pool_[node.a].width;
  if (node.width == event::kUnbounded || from == event::kUnbounded)
    return node.width == 1 ? truth(std::nullopt) : Known::anything();
  return normal(by_bits(node, from, *operands.front(), *operands.back()), node.width);
}

Known KnownValues::choice(const Node& node) const {
  const Known& condition = known(node.a);
  Known out = Known::nothing();
  if (condition.is_nothing()) return out;
  if (condition.may_be(1)) out = joined(out, known(node.b), node.width);
  if (condition.may_be(0)) out = joined(out, known(node.c), node.width);
  return out;
}

/// Nothing: the operands may be too many values.
std::optional<Known> KnownValues::pointwise(const Node& node,
                                            const std::vector<const Known*>& operands) const {
  const std::set<Value> unused = {0};
  const auto& a = operands.front()->values;
  const auto& b = operands.size() > 1 ? operands.back()->values : std::optional(unused);
  if (!a || !b || a->size() * b->size() > kMaxCombinations) return std::nullopt;
  std::set<Value> values;
  try {
    for (const Value left : *a) {
      for (const Value right : *b) {
        values.insert(event::apply(node.op, node.width, pool_[node.a].width, left, right));
      }
    }
  } catch (const event::Overflow&) {
    return Known::anything();
  }
  return Known::of(std::move(values), node.width);
}

}  // namespace ptxmc::lower

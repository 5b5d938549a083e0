// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/event/expr_places.h"

namespace ptxmc::event {
namespace {

constexpr Value kFarthest = Value{1} << 30;  // beyond the end of every variable; its double fits 32 bits

const Term* place_of(const ExprPool& pool, Expr e) {
  const Node& node = pool[e];
  if (node.op != Op::term || !pool.terms()[node.atom].is_place) return nullptr;
  return &pool.terms()[node.atom];
}

bool within(const Term& term, Value offset) {
  return offset >= 0 && offset <= term.size && term.size < kFarthest;
}

/// Two sums of one width.
std::optional<Expr> fold_pair(ExprPool& pool, const Node& node, const PlaceSum& a, const PlaceSum& b) {
  const Term &first = pool.terms()[a.term], &second = pool.terms()[b.term];
  const bool same = a.term == b.term;
  if (node.op == Op::sub && same) return pool.constant(a.offset - b.offset, node.width);
  if (node.op == Op::eq) {
    if (same) return pool.truth(a.offset == b.offset);
    if (apart(first, second) && inside(first, a.offset) && inside(second, b.offset)) return pool.truth(false);
  }
  // No variable wraps around, so its addresses and that of its end are in order.
  if (node.op == Op::lt_u && same && within(first, a.offset) && within(second, b.offset))
    return pool.truth(a.offset < b.offset);
  return std::nullopt;
}

/// Bits that an address can have.
unsigned bits_of(const ExprPool& pool, const PlaceSum& sum) {
  const Term& term = pool.terms()[sum.term];
  return within(term, sum.offset) ? term.width : sum.width;
}

/// A sum and a constant.
std::optional<Expr> fold_constant(ExprPool& pool, const Node& node, const PlaceSum& sum, Value constant) {
  const Term& term = pool.terms()[sum.term];
  const unsigned bits = bits_of(pool, sum);
  if (node.op == Op::eq && sum.offset == 0 && !may_be_at(term, constant)) return pool.truth(false);
  if (node.op == Op::shr_u && node.width != kUnbounded && constant >= bits)
    return pool.constant(0, node.width);
  const auto low = static_cast<std::uint64_t>(term.alignment) - 1;  // bits of the place that are zero
  const auto mask = static_cast<std::uint64_t>(constant);
  if (node.op == Op::and_ && (mask & ~low) == 0)
    return pool.constant(static_cast<Value>(static_cast<std::uint64_t>(sum.offset) & mask), node.width);
  const std::uint64_t whole = bits < 64 ? (std::uint64_t{1} << bits) - 1 : ~std::uint64_t{0};
  if (node.op == Op::and_ && node.width != kUnbounded && (whole & ~mask) == 0) return node.a;
  const bool divides = mask != 0 && (mask & (mask - 1)) == 0 && ((mask - 1) & ~low) == 0;
  if (node.op == Op::rem_u && divides && node.width != kUnbounded)
    return pool.constant(static_cast<Value>(static_cast<std::uint64_t>(sum.offset) & (mask - 1)), node.width);
  return std::nullopt;
}

/// The sum moves out of a width change: offsets within the variable do not wrap around.
std::optional<Expr> fold_width(ExprPool& pool, const Node& node) {
  const Node sum = pool[node.a];
  if (sum.op != Op::add || !pool.is_constant(sum.b)) return std::nullopt;
  const Value offset = as_signed(pool[sum.b].constant, sum.width);
  if (node.op == Op::zero_extend) {
    const Term* term = place_of(pool, sum.a);
    if (!term || !within(*term, offset)) return std::nullopt;
    return pool.make(Op::add, node.width, pool.make(Op::zero_extend, node.width, sum.a),
                     pool.constant(offset, node.width));
  }
  const Node inner = pool[sum.a];
  if (node.op != Op::truncate || inner.op != Op::zero_extend || !place_of(pool, inner.a)) return std::nullopt;
  if (pool[inner.a].width != node.width) return std::nullopt;
  return pool.make(Op::add, node.width, pool.make(Op::truncate, node.width, sum.a),
                   pool.constant(offset, node.width));
}

}  // namespace

std::optional<PlaceSum> place_sum(const ExprPool& pool, Expr e) {
  PlaceSum sum;
  sum.width = pool[e].width;
  if (pool[e].op == Op::add && pool.is_constant(pool[e].b)) {
    sum.offset = as_signed(pool[pool[e].b].constant, sum.width);
    e = pool[e].a;
  }
  if (pool[e].op == Op::zero_extend) e = pool[e].a;
  if (!place_of(pool, e)) return std::nullopt;
  sum.term = pool[e].atom;
  return sum;
}

bool inside(const Term& term, Value offset) {
  return within(term, offset) && offset < term.size;
}

bool may_be_at(const Term& term, Value number) {
  const auto at = static_cast<std::uint64_t>(number);
  const std::uint64_t end = term.limit != 0    ? static_cast<std::uint64_t>(term.limit)
                            : term.width == 32 ? 0xffffffff
                                               : ~std::uint64_t{0};
  const auto size = static_cast<std::uint64_t>(term.size);
  return at >= static_cast<std::uint64_t>(term.least) &&
         at % static_cast<std::uint64_t>(term.alignment) == 0 && size <= end && at <= end - size;
}

std::optional<Expr> fold_places(ExprPool& pool, const Node& node) {
  switch (node.op) {
    case Op::zero_extend:
    case Op::truncate:
      return fold_width(pool, node);
    case Op::shr_u:
    case Op::sub:
    case Op::eq:
    case Op::lt_u:
    case Op::and_:
    case Op::rem_u:
      break;
    default:
      return std::nullopt;
  }
  const auto a = place_sum(pool, node.a);
  if (!a) return std::nullopt;
  if (pool.is_constant(node.b)) return fold_constant(pool, node, *a, pool[node.b].constant);
  const auto b = place_sum(pool, node.b);
  return b ? fold_pair(pool, node, *a, *b) : std::nullopt;
}

}  // namespace ptxmc::event

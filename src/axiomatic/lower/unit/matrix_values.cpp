// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/lower/unit/matrix_values.h"

#include <algorithm>
#include <string>

namespace ptxmc::lower {
namespace {

using event::Expr;
using event::ExprPool;
using event::Op;

constexpr event::Width kWord = 64;
constexpr std::int64_t kPart = 8;  // bytes

Expr widened(ExprPool& pool, Expr e) {
  const event::Width width = pool[e].width;
  if (width == kWord) return e;
  return pool.make(width == event::kUnbounded ? Op::truncate : Op::zero_extend, kWord, e);
}

}  // namespace

Expr part_of(ExprPool& pool, Expr a, Expr b) {
  return pool.opaque("part", kWord, widened(pool, a), widened(pool, b));
}

Expr upper_half(ExprPool& pool, Expr e) {
  return pool.make(Op::truncate, kWord / 2, pool.make(Op::shr_u, kWord, e, pool.constant(kWord / 2, kWord)));
}

// One argument at a time, by a function for each place: of one function of n arguments no more is known.
Expr uninterpreted(ExprPool& pool, std::string_view name, const std::vector<Expr>& arguments) {
  Expr result = pool.constant(static_cast<event::Value>(arguments.size()), kWord);
  std::size_t place = 0;
  for (const Expr argument : arguments) {
    std::string function(name);
    if (place != 0) function += " operand " + std::to_string(place);
    result = pool.opaque(function, kWord, result, widened(pool, argument));
    ++place;
  }
  return result;
}

void Contents::add(std::int64_t begin, std::int64_t bytes, Expr value) {
  const Expr whole = widened(pool_, value);
  const std::int64_t inside = begin % kPart;
  add_part(begin / kPart, pool_.make(Op::shl, kWord, whole, pool_.constant(inside * 8, kWord)));
  if (inside != 0 && inside + std::min(bytes, kPart) > kPart) {  // the rest is in the next part
    const Expr rest = pool_.make(Op::shr_u, kWord, whole, pool_.constant((kPart - inside) * 8, kWord));
    add_part(begin / kPart + 1, rest);
  }
}

void Contents::add_part(std::int64_t number, Expr value) {
  const auto [place, fresh] = parts_.try_emplace(number, widened(pool_, value));
  if (!fresh) place->second = pool_.make(Op::add, kWord, place->second, widened(pool_, value));
}

Expr Contents::result() const {
  Expr all = pool_.constant(0, kWord);
  for (const auto& [number, value] : parts_) {
    const Expr zero = pool_.make(Op::eq, 1, value, pool_.constant(0, kWord));
    const Expr more = pool_.opaque("contents at " + std::to_string(number), kWord, all, value);
    all = pool_.make(Op::ite, kWord, zero, all, more);
  }
  return all;
}

}  // namespace ptxmc::lower

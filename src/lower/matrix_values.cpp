// SPDX-License-Identifier: Apache-2.0
#include "lower/matrix_values.h"

#include <algorithm>

namespace ptxmc::lower {
namespace {

using event::Expr;
using event::ExprPool;
using event::Op;
using event::Value;

constexpr event::Width kWord = 64;
constexpr std::int64_t kPart = 8;  // bytes
// Odd, and of no structure that programs would share: bits of the golden ratio and of square roots.
constexpr Value kFirst = static_cast<Value>(0x9e3779b97f4a7c15);
constexpr Value kSecond = 0x510e527fade682d1;
constexpr Value kThird = static_cast<Value>(0xbb67ae8584caa73b);

Expr widened(ExprPool& pool, Expr e) {
  const event::Width width = pool[e].width;
  if (width == kWord) return e;
  return pool.make(width == event::kUnbounded ? Op::truncate : Op::zero_extend, kWord, e);
}

Expr times(ExprPool& pool, Expr e, Value factor) {
  return pool.make(Op::mul, kWord, e, pool.constant(factor, kWord));
}

}  // namespace

Expr mix(ExprPool& pool, Expr a, Expr b) {
  const Expr left = times(pool, widened(pool, a), kFirst);
  const Expr right = pool.make(Op::add, kWord, widened(pool, b), pool.constant(kSecond, kWord));
  return times(pool, pool.make(Op::xor_, kWord, left, right), kThird);
}

Expr upper_half(ExprPool& pool, Expr e) {
  return pool.make(Op::truncate, kWord / 2, pool.make(Op::shr_u, kWord, e, pool.constant(kWord / 2, kWord)));
}

Expr uninterpreted(ExprPool& pool, std::string_view name, const std::vector<Expr>& arguments) {
  std::uint64_t symbol = 0xcbf29ce484222325;  // FNV-1a
  for (const char c : name) symbol = (symbol ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  Expr result = pool.constant(static_cast<Value>(symbol), kWord);
  for (const Expr argument : arguments) result = mix(pool, result, argument);
  return result;
}

Contents::Contents(ExprPool& pool) : pool_(pool), sum_(pool.constant(0, kWord)) {}

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
  const auto factor = mix(pool_, pool_.constant(number, kWord), pool_.constant(number, kWord));
  sum_ = pool_.make(Op::add, kWord, sum_, times(pool_, value, pool_[factor].constant | 1));
}

}  // namespace ptxmc::lower

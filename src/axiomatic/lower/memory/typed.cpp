// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/lower/memory/typed.h"

#include "support/check.h"

namespace ptxmc::lower {

using event::Expr;
using event::ExprPool;
using event::Op;
using event::Width;

Width width_of(std::uint32_t bits, bool unbounded) {
  return unbounded && bits == 64 ? event::kUnbounded : static_cast<Width>(bits);
}

bool narrower(Width a, Width b) {
  const auto rank = [](Width w) { return w == event::kUnbounded ? 256 : static_cast<int>(w); };
  return rank(a) < rank(b);
}

Expr resize(ExprPool& pool, const Typed& value, Width width) {
  const Width from = pool[value.expr].width;
  if (from == width) return value.expr;
  if (narrower(width, from)) return pool.make(Op::truncate, width, value.expr);
  return pool.make(value.is_signed ? Op::sign_extend : Op::zero_extend, width, value.expr);
}

Expr compare(ExprPool& pool, isa::Compare op, bool is_signed, Expr a, Expr b) {
  const Op less = is_signed ? Op::lt_s : Op::lt_u;
  switch (op) {
    case isa::Compare::eq:
      return pool.make(Op::eq, 1, a, b);
    case isa::Compare::ne:
      return pool.negation(pool.make(Op::eq, 1, a, b));
    case isa::Compare::lt:
      return pool.make(less, 1, a, b);
    case isa::Compare::gt:
      return pool.make(less, 1, b, a);
    case isa::Compare::le:
      return pool.negation(pool.make(less, 1, b, a));
    case isa::Compare::ge:
      return pool.negation(pool.make(less, 1, a, b));
    case isa::Compare::none:
      break;
  }
  PTXMC_CHECK(false, "a comparison without an operator");
  return a;
}

Typed merged(event::ExprPool& pool, const Typed& a, const Typed& b, event::Expr take_b) {
  if (a.expr == b.expr && a.written == b.written) return a;
  const event::Width wa = pool[a.expr].width, wb = pool[b.expr].width;
  event::Width width = narrower(wa, wb) ? wb : wa;
  bool is_signed = narrower(wa, wb) ? b.is_signed : a.is_signed;
  if (a.written != b.written) {  // nothing reads the other half, or it is a plain zero
    width = a.written ? wa : wb;
    is_signed = a.written ? a.is_signed : b.is_signed;
  }
  const event::Expr x = resize(pool, a, width), y = resize(pool, b, width);
  return {pool.make(event::Op::ite, width, take_b, y, x), is_signed, true};
}

}  // namespace ptxmc::lower

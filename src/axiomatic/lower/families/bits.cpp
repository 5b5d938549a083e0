// SPDX-License-Identifier: Apache-2.0
// The instructions of ptx/integer/instruction.h on expressions.
#include "axiomatic/lower/families/bits.h"

#include "ptx/integer/instruction.h"

namespace ptxmc::lower {
namespace {

using event::Expr;
using event::Op;
using event::Width;

/// Expressions as an algebra (ptx/integer/instruction.h).
class Expressions {
 public:
  using Value = Expr;
  explicit Expressions(event::ExprPool& pool) : pool_(pool) {}

  Expr constant(integer::Pattern pattern, Width width) {
    return pool_.constant(static_cast<event::Value>(pattern), width);
  }
  Width width(Expr x) const { return pool_[x].width; }
  Expr add(Expr x, Expr y) { return same(Op::add, x, y); }
  Expr sub(Expr x, Expr y) { return same(Op::sub, x, y); }
  Expr mul(Expr x, Expr y) { return same(Op::mul, x, y); }
  Expr mulhi_s(Expr x, Expr y) { return same(Op::mulhi_s, x, y); }
  Expr mulhi_u(Expr x, Expr y) { return same(Op::mulhi_u, x, y); }
  Expr min_s(Expr x, Expr y) { return same(Op::min_s, x, y); }
  Expr min_u(Expr x, Expr y) { return same(Op::min_u, x, y); }
  Expr max_s(Expr x, Expr y) { return same(Op::max_s, x, y); }
  Expr max_u(Expr x, Expr y) { return same(Op::max_u, x, y); }
  Expr and_(Expr x, Expr y) { return same(Op::and_, x, y); }
  Expr or_(Expr x, Expr y) { return same(Op::or_, x, y); }
  Expr xor_(Expr x, Expr y) { return same(Op::xor_, x, y); }
  Expr shl(Expr x, Expr y) { return same(Op::shl, x, y); }
  Expr shr_u(Expr x, Expr y) { return same(Op::shr_u, x, y); }
  Expr shr_s(Expr x, Expr y) { return same(Op::shr_s, x, y); }
  Expr not_(Expr x) { return pool_.make(Op::not_, width(x), x); }
  Expr less_u(Expr x, Expr y) { return pool_.make(Op::lt_u, 1, x, y); }
  Expr less_s(Expr x, Expr y) { return pool_.make(Op::lt_s, 1, x, y); }
  Expr equal(Expr x, Expr y) { return pool_.make(Op::eq, 1, x, y); }
  Expr choose(Expr bit, Expr x, Expr y) { return pool_.make(Op::ite, width(x), bit, x, y); }
  Expr zero_extend(Expr x, Width width) { return pool_.make(Op::zero_extend, width, x); }
  Expr sign_extend(Expr x, Width width) { return pool_.make(Op::sign_extend, width, x); }
  Expr truncate(Expr x, Width width) { return pool_.make(Op::truncate, width, x); }

 private:
  Expr same(Op op, Expr x, Expr y) { return pool_.make(op, width(x), x, y); }
  event::ExprPool& pool_;
};

}  // namespace

IntegerResult integer_result(event::ExprPool& pool, isa::Opcode opcode, const isa::Modifiers& modifiers,
                             const std::vector<Expr>& sources, std::optional<Expr> carry) {
  Expressions algebra(pool);
  const auto result = integer::Instruction<Expressions>(algebra, opcode, modifiers, sources, carry).run();
  return {result.value, result.carry};
}

}  // namespace ptxmc::lower

// SPDX-License-Identifier: Apache-2.0
// Simplification rules of the expression DAG.
//
// What is left after folding decides which dependencies exist (No-Thin-Air, reading D13), so the rules aim at
// algebraic identities a reader would call "obviously no dependency": x-x, x^x, x&0, x*0, a choice between
// equal values. The rules on truth values keep guards of re-joined control flow small: (g and c) or (g and
// not c) is g again. A rule that drops an operand may drop an overflow of unbounded integers with it: then
// the answer is the mathematical one.
//
// Cost: constant per node but for conjunctions and disjunctions, which look one level into their operands.
#include "axiomatic/event/expr_fold.h"

#include <utility>

#include "axiomatic/event/expr_places.h"
#include "axiomatic/event/expr_slices.h"

namespace ptxmc::event {
namespace {

bool is_compare(Op op) {
  return op == Op::eq || op == Op::ne || op == Op::lt_s || op == Op::lt_u || op == Op::le_s || op == Op::le_u;
}

/// A pool and the node under simplification, with the questions that the rules ask.
struct Rules {
  ExprPool& pool;
  const Node node;

  const Node& at(Expr e) const { return pool[e]; }
  bool constant(Expr e, Value value) const {
    return pool.is_constant(e) && at(e).constant == wrap(value, at(e).width);
  }
  bool complements(Expr x, Expr y) const {
    return (at(x).op == Op::not_ && at(x).a == y) || (at(y).op == Op::not_ && at(y).a == x);
  }
  bool has_operand(Expr e, Op op, Expr operand) const {
    return at(e).op == op && (at(e).a == operand || at(e).b == operand);
  }
  /// The other operand of a binary node that has `operand`.
  Expr other(Expr e, Expr operand) const { return at(e).a == operand ? at(e).b : at(e).a; }
  Expr value(Value v) { return pool.constant(v, node.width); }

  std::optional<Expr> constants();
  std::optional<Expr> arithmetic();
  std::optional<Expr> add_sub();
  std::optional<Expr> narrow_shift();
  std::optional<Expr> and_or();
  std::optional<Expr> and_or_pairs(Expr x, Expr y);
  std::optional<Expr> compare();
  std::optional<Expr> compare_constant();
  std::optional<Expr> compare_sums();
  std::optional<Expr> compare_choice();
  std::optional<Expr> choice();
  std::optional<Expr> truth_choice();
  std::optional<Expr> width_change();
};

std::optional<Expr> Rules::constants() {
  const int n = arity(node.op);
  if ((n > 0 && !pool.is_constant(node.a)) || (n > 1 && !pool.is_constant(node.b)) ||
      (n > 2 && !pool.is_constant(node.c))) {
    return std::nullopt;
  }
  try {
    return value(apply(node.op, node.width, at(node.a).width, at(node.a).constant, at(node.b).constant,
                       at(node.c).constant));
  } catch (const Overflow&) {
    return std::nullopt;  // thrown again when, and only if, the value is needed
  }
}

std::optional<Expr> Rules::add_sub() {
  const Expr a = node.a, b = node.b;
  if (constant(b, 0)) return a;
  if (node.op == Op::sub) {
    if (a == b) return value(0);
    if (has_operand(a, Op::add, b)) return other(a, b);                                       // (x + b) - b
    if (at(a).op == Op::sub && at(a).a == b) return pool.make(Op::neg, node.width, at(a).b);  // (b - x) - b
    if (pool.is_constant(b) && node.width != kUnbounded)
      return pool.make(Op::add, node.width, a,
                       value(static_cast<Value>(-static_cast<std::uint64_t>(at(b).constant))));
    return std::nullopt;
  }
  if (at(a).op == Op::sub && at(a).b == b) return at(a).a;  // (x - b) + b
  if (at(b).op == Op::sub && at(b).b == a) return at(b).a;
  if (at(b).op == Op::neg && at(b).a == a) return value(0);
  if (at(a).op == Op::neg && at(a).a == b) return value(0);
  if (pool.is_constant(b) && at(a).op == Op::add && pool.is_constant(at(a).b)) {  // (x + k) + b
    const Expr sum = pool.make(Op::add, node.width, at(a).b, b);
    if (pool.is_constant(sum)) return pool.make(Op::add, node.width, at(a).a, sum);
  }
  return std::nullopt;
}

std::optional<Expr> Rules::arithmetic() {
  const Expr a = node.a, b = node.b;
  switch (node.op) {
    case Op::add:
    case Op::sub:
      return add_sub();
    case Op::mul:
      if (constant(b, 0)) return b;
      if (constant(b, 1)) return a;
      break;
    case Op::mulhi_s:
    case Op::mulhi_u:
      if (constant(b, 0)) return b;
      break;
    case Op::div_s:
    case Op::div_u:
      if (constant(b, 1)) return a;
      break;
    case Op::rem_s:
    case Op::rem_u:
      if (constant(b, 1)) return value(0);
      break;
    case Op::min_s:
    case Op::min_u:
    case Op::max_s:
    case Op::max_u:
      if (a == b) return a;
      break;
    case Op::xor_:
      if (a == b) return value(0);
      if (complements(a, b)) return value(-1);
      if (constant(b, 0)) return a;
      if (constant(b, -1)) return pool.make(Op::not_, node.width, a);
      if (has_operand(a, Op::xor_, b)) return other(a, b);
      if (has_operand(b, Op::xor_, a)) return other(b, a);
      break;
    case Op::shl:
    case Op::shr_s:
    case Op::shr_u:
      if (constant(b, 0) || constant(a, 0)) return a;
      if (node.op == Op::shr_u && at(a).op == Op::zero_extend && pool.is_constant(b)) return narrow_shift();
      break;
    case Op::neg:
    case Op::not_:
      if (at(a).op == node.op) return at(a).a;
      break;
    case Op::abs:
      if (at(a).op == Op::abs) return a;
      break;
    default:
      break;
  }
  return std::nullopt;
}

/// A shift of what was extended by zeros is one at the width from which it was extended.
std::optional<Expr> Rules::narrow_shift() {
  const Expr inner = at(node.a).a;
  const Width width = at(inner).width;
  if (width == kUnbounded || node.width == kUnbounded) return std::nullopt;
  const auto amount = static_cast<std::uint64_t>(at(node.b).constant);
  if (amount >= width) return value(0);
  const Expr shifted = pool.make(Op::shr_u, width, inner, pool.constant(static_cast<Value>(amount), width));
  return pool.make(Op::zero_extend, node.width, shifted);
}

/// and, or at any width: identities of a lattice with complement.
std::optional<Expr> Rules::and_or() {
  const bool conjunction = node.op == Op::and_;
  const Expr a = node.a, b = node.b;
  if (a == b) return a;
  if (constant(b, conjunction ? 0 : -1)) return b;
  if (constant(b, conjunction ? -1 : 0)) return a;
  if (complements(a, b)) return value(conjunction ? 0 : -1);
  if (!conjunction && node.width > 1) {
    if (const auto e = join_slices(pool, a, b)) return e;
  }
  if (const auto e = and_or_pairs(a, b)) return e;
  if (const auto e = and_or_pairs(b, a)) return e;
  // (x op' y) op (x op' not y) is x
  const Op dual = conjunction ? Op::or_ : Op::and_;
  if (at(a).op == dual && at(b).op == dual) {
    for (const Expr x : {at(a).a, at(a).b}) {
      if (has_operand(b, dual, x) && complements(other(a, x), other(b, x))) return x;
    }
  }
  return std::nullopt;
}

/// x op y where y is itself a conjunction or disjunction that mentions x.
std::optional<Expr> Rules::and_or_pairs(Expr x, Expr y) {
  const Op op = node.op, dual = op == Op::and_ ? Op::or_ : Op::and_;
  if (at(y).op != op && at(y).op != dual) return std::nullopt;
  for (const Expr part : {at(y).a, at(y).b}) {
    if (part == x) return at(y).op == op ? y : x;  // x and (x and z) is x and z; x and (x or z) is x
    if (complements(part, x)) {
      if (at(y).op == op) return value(op == Op::and_ ? 0 : -1);
      return pool.make(op, node.width, x, other(y, part));  // x and (not x or z) is x and z
    }
  }
  return std::nullopt;
}

std::optional<Expr> Rules::compare() {
  const Expr a = node.a, b = node.b;
  const Width width = at(a).width;
  if (a == b) return pool.truth(node.op == Op::eq || node.op == Op::le_s || node.op == Op::le_u);
  if (node.op == Op::ne) return pool.negation(pool.make(Op::eq, 1, a, b));
  if (node.op == Op::eq && width == 1) return pool.negation(pool.make(Op::xor_, 1, a, b));
  const bool is_unsigned = node.op == Op::lt_u || node.op == Op::le_u;
  if (is_unsigned && width != kUnbounded) {
    if (node.op == Op::lt_u && constant(b, 0)) return pool.truth(false);
    if (node.op == Op::le_u && constant(a, 0)) return pool.truth(true);
    if (node.op == Op::lt_u && constant(a, -1)) return pool.truth(false);
    if (node.op == Op::le_u && constant(b, -1)) return pool.truth(true);
  }
  // a <= b is not (b < a), and above a != b is not (a == b): a test and its opposite share one decision
  if (node.op == Op::le_s) return pool.negation(pool.make(Op::lt_s, 1, b, a));
  if (node.op == Op::le_u) return pool.negation(pool.make(Op::lt_u, 1, b, a));
  if (const auto e = compare_choice()) return e;
  if (node.op != Op::eq) return std::nullopt;
  if (pool.is_constant(b)) return compare_constant();
  if (at(a).op == at(b).op && (at(a).op == Op::zero_extend || at(a).op == Op::sign_extend) &&
      at(at(a).a).width == at(at(b).a).width) {
    return pool.make(Op::eq, 1, at(a).a, at(b).a);
  }
  return compare_sums();
}

/// x + y is x where y is 0, and x + z where y is z.
std::optional<Expr> Rules::compare_sums() {
  const Width width = at(node.a).width;
  for (const auto& [sum, other_side] : {std::pair(node.a, node.b), std::pair(node.b, node.a)}) {
    if (at(sum).op != Op::add) continue;
    for (const Expr x : {at(sum).a, at(sum).b}) {
      if (x == other_side) return pool.make(Op::eq, 1, other(sum, x), pool.constant(0, width));
      if (has_operand(other_side, Op::add, x))
        return pool.make(Op::eq, 1, other(sum, x), other(other_side, x));
    }
  }
  return std::nullopt;
}

/// eq(x, constant) where x can be undone.
std::optional<Expr> Rules::compare_constant() {
  const Node x = at(node.a);
  const Value k = at(node.b).constant;
  if (x.op == Op::zero_extend || x.op == Op::sign_extend) {
    const Width inner = at(x.a).width;
    const Value narrow = wrap(k, inner);
    const Value back = x.op == Op::zero_extend ? narrow : wrap(as_signed(narrow, inner), x.width);
    if (back != k) return pool.truth(false);
    return pool.make(Op::eq, 1, x.a, pool.constant(narrow, inner));
  }
  if (x.op == Op::add && pool.is_constant(x.b)) {
    const Expr difference = pool.make(Op::sub, x.width, node.b, x.b);
    if (pool.is_constant(difference)) return pool.make(Op::eq, 1, x.a, difference);
  }
  return std::nullopt;
}

/// A comparison of a choice between constants with a constant is the choice's condition, its negation, or
/// constant.
std::optional<Expr> Rules::compare_choice() {
  const auto constant_choice = [&](Expr e) {
    return at(e).op == Op::ite && pool.is_constant(at(e).b) && pool.is_constant(at(e).c);
  };
  const bool left = constant_choice(node.a) && pool.is_constant(node.b);
  const bool right = constant_choice(node.b) && pool.is_constant(node.a);
  if (!left && !right) return std::nullopt;
  const Node ite = at(left ? node.a : node.b);
  const Expr then = left ? pool.make(node.op, 1, ite.b, node.b) : pool.make(node.op, 1, node.a, ite.b);
  const Expr otherwise = left ? pool.make(node.op, 1, ite.c, node.b) : pool.make(node.op, 1, node.a, ite.c);
  return pool.make(Op::ite, 1, ite.a, then, otherwise);
}

std::optional<Expr> Rules::choice() {
  const Expr condition = node.a, then = node.b, otherwise = node.c;
  if (then == otherwise) return then;
  if (pool.is_true(condition)) return then;
  if (pool.is_false(condition)) return otherwise;
  if (at(condition).op == Op::not_) return pool.make(Op::ite, node.width, at(condition).a, otherwise, then);
  if (at(then).op == Op::ite && at(then).a == condition) {
    return pool.make(Op::ite, node.width, condition, at(then).b, otherwise);
  }
  if (at(otherwise).op == Op::ite && at(otherwise).a == condition) {
    return pool.make(Op::ite, node.width, condition, then, at(otherwise).c);
  }
  return node.width == 1 ? truth_choice() : std::nullopt;
}

std::optional<Expr> Rules::truth_choice() {
  const Expr c = node.a, then = node.b, otherwise = node.c;
  if (pool.is_true(then) || then == c) return pool.disjunction(c, otherwise);
  if (pool.is_false(otherwise) || otherwise == c) return pool.conjunction(c, then);
  if (pool.is_false(then)) return pool.conjunction(pool.negation(c), otherwise);
  if (pool.is_true(otherwise)) return pool.disjunction(pool.negation(c), then);
  if (complements(then, otherwise)) return pool.make(Op::xor_, 1, c, otherwise);
  return std::nullopt;
}

std::optional<Expr> Rules::width_change() {
  const Expr a = node.a;
  const Node inner = at(a);
  if (inner.width == node.width) return a;
  if (node.op == Op::truncate) {
    if (inner.op == Op::truncate) return pool.make(Op::truncate, node.width, inner.a);
    if (inner.op != Op::zero_extend && inner.op != Op::sign_extend) return std::nullopt;
    const Width source = at(inner.a).width;  // node.width and source are both below inner.width
    if (source >= node.width) return pool.make(Op::truncate, node.width, inner.a);
    return pool.make(inner.op, node.width, inner.a);
  }
  if (inner.op == Op::zero_extend) return pool.make(Op::zero_extend, node.width, inner.a);
  if (inner.op == Op::sign_extend && node.op == Op::sign_extend) {
    return pool.make(Op::sign_extend, node.width, inner.a);
  }
  return std::nullopt;
}

}  // namespace

Node canonical(const ExprPool& pool, Node node) {
  if (!commutative(node.op)) return node;
  const bool a_constant = pool.is_constant(node.a), b_constant = pool.is_constant(node.b);
  if (a_constant != b_constant ? a_constant : node.b < node.a) std::swap(node.a, node.b);
  return node;
}

namespace {

std::optional<Expr> fold_operation(ExprPool& pool, const Node& node) {
  Rules rules{pool, node};
  if (const auto e = rules.constants()) return e;
  if (pool.has_terms()) {
    if (const auto e = fold_places(pool, node)) return e;
  }
  switch (node.op) {
    case Op::constant:
    case Op::value_of:
    case Op::final_value:
    case Op::term:
    case Op::opaque:
      return std::nullopt;
    case Op::and_:
    case Op::or_:
      return rules.and_or();
    case Op::ite:
      return rules.choice();
    case Op::sign_extend:
    case Op::zero_extend:
    case Op::truncate:
      return rules.width_change();
    default:
      return is_compare(node.op) ? rules.compare() : rules.arithmetic();
  }
}

bool may_be_slice(const ExprPool& pool, const Node& node) {
  if (node.op == Op::truncate || node.op == Op::zero_extend) return true;
  return (node.op == Op::shr_u || node.op == Op::and_) && pool.is_constant(node.b);
}

}  // namespace

std::optional<Expr> fold(ExprPool& pool, const Node& node) {
  if (const auto e = fold_operation(pool, node)) return e;
  return may_be_slice(pool, node) ? fold_slice(pool, node) : std::nullopt;
}

}  // namespace ptxmc::event

// SPDX-License-Identifier: Apache-2.0
// Expressions: concrete arithmetic against a reference at width 8, folding rule by rule, folding against
// direct evaluation on random expressions, and three-valued evaluation.
#include "axiomatic/event/expr.h"

#include <doctest/doctest.h>

#include <limits>
#include <random>

namespace ptxmc::event {
namespace {

constexpr int kAllOnes = 0xff;

int sign8(int x) {
  return x < 128 ? x : x - 256;
}
int clip(int x) {
  return x & kAllOnes;
}

/// What PTX says at 8 bits, in plain int arithmetic.
int reference(Op op, int a, int b) {
  const int sa = sign8(a), sb = sign8(b);
  switch (op) {
    case Op::add:
      return clip(a + b);
    case Op::sub:
      return clip(a - b);
    case Op::mul:
      return clip(a * b);
    case Op::mulhi_s:
      return clip((sa * sb) >> 8);
    case Op::mulhi_u:
      return clip((a * b) >> 8);
    case Op::div_s:
      return b == 0 ? kAllOnes : clip(sa / sb);
    case Op::div_u:
      return b == 0 ? kAllOnes : a / b;
    case Op::rem_s:
      return b == 0 ? a : clip(sa % sb);
    case Op::rem_u:
      return b == 0 ? a : a % b;
    case Op::min_s:
      return sa <= sb ? a : b;
    case Op::min_u:
      return a <= b ? a : b;
    case Op::max_s:
      return sa >= sb ? a : b;
    case Op::max_u:
      return a >= b ? a : b;
    case Op::and_:
      return a & b;
    case Op::or_:
      return a | b;
    case Op::xor_:
      return a ^ b;
    case Op::shl:
      return b >= 8 ? 0 : clip(a << b);
    case Op::shr_s:
      return clip(sa >> (b >= 8 ? 7 : b));
    case Op::shr_u:
      return b >= 8 ? 0 : a >> b;
    case Op::eq:
      return a == b;
    case Op::ne:
      return a != b;
    case Op::lt_s:
      return sa < sb;
    case Op::lt_u:
      return a < b;
    case Op::le_s:
      return sa <= sb;
    case Op::le_u:
      return a <= b;
    default:
      return -1;
  }
}

const Op kBinary[] = {Op::add,   Op::sub,   Op::mul,   Op::mulhi_s, Op::mulhi_u, Op::div_s, Op::div_u,
                      Op::rem_s, Op::rem_u, Op::min_s, Op::min_u,   Op::max_s,   Op::max_u, Op::and_,
                      Op::or_,   Op::xor_,  Op::shl,   Op::shr_s,   Op::shr_u,   Op::eq,    Op::ne,
                      Op::lt_s,  Op::lt_u,  Op::le_s,  Op::le_u};

bool compares(Op op) {
  return op >= Op::eq && op <= Op::le_u;
}

TEST_CASE("binary operations at width 8, all operands") {
  for (const Op op : kBinary) {
    for (int a = 0; a < 256; ++a) {
      for (int b = 0; b < 256; ++b) {
        const Value got = apply(op, compares(op) ? 1 : 8, 8, a, b);
        if (got != reference(op, a, b)) {
          FAIL("op " << static_cast<int>(op) << " on " << a << ", " << b << " gives " << got);
        }
      }
    }
  }
}

TEST_CASE("unary operations and width changes at width 8") {
  for (int a = 0; a < 256; ++a) {
    CHECK(apply(Op::neg, 8, 8, a) == clip(-a));
    CHECK(apply(Op::abs, 8, 8, a) == clip(sign8(a) < 0 ? -sign8(a) : a));
    CHECK(apply(Op::not_, 8, 8, a) == clip(~a));
    CHECK(apply(Op::sign_extend, 16, 8, a) == (sign8(a) & 0xffff));
    CHECK(apply(Op::zero_extend, 16, 8, a) == a);
    CHECK(apply(Op::truncate, 8, 16, a | 0x300) == a);
    CHECK(apply(Op::sign_extend, kUnbounded, 8, a) == sign8(a));
  }
}

TEST_CASE("the edges of 64 bits") {
  const Value least = std::numeric_limits<Value>::min();
  CHECK(apply(Op::div_s, 64, 64, least, -1) == least);
  CHECK(apply(Op::rem_s, 64, 64, least, -1) == 0);
  CHECK(apply(Op::abs, 64, 64, least) == least);
  CHECK(apply(Op::div_u, 64, 64, -1, 2) == std::numeric_limits<Value>::max());
  CHECK(apply(Op::mulhi_u, 64, 64, -1, -1) == -2);
  CHECK(apply(Op::mulhi_s, 64, 64, -1, -1) == 0);
  CHECK(apply(Op::lt_u, 1, 64, 1, -1) == 1);
  CHECK(apply(Op::shl, 64, 64, 1, 64) == 0);
  CHECK(apply(Op::shr_s, 64, 64, -1, 1000) == -1);
}

TEST_CASE("unbounded integers: mathematical, or Overflow") {
  const Value most = std::numeric_limits<Value>::max(), least = std::numeric_limits<Value>::min();
  CHECK(apply(Op::add, kUnbounded, kUnbounded, 0xffffffff, 1) == 0x100000000);
  CHECK(apply(Op::sub, kUnbounded, kUnbounded, 0, 1) == -1);
  CHECK_THROWS_AS(apply(Op::add, kUnbounded, kUnbounded, most, 1), Overflow);
  CHECK_THROWS_AS(apply(Op::mul, kUnbounded, kUnbounded, most, 2), Overflow);
  CHECK_THROWS_AS(apply(Op::neg, kUnbounded, kUnbounded, least), Overflow);
  CHECK_THROWS_AS(apply(Op::div_s, kUnbounded, kUnbounded, least, -1), Overflow);
  CHECK_THROWS_AS(apply(Op::shl, kUnbounded, kUnbounded, 1, 63), Overflow);
  CHECK(apply(Op::shl, kUnbounded, kUnbounded, -1, 63) == least);
}

TEST_CASE("unbounded integers: unsigned operations read and write patterns of 64 bits") {
  const Value least = std::numeric_limits<Value>::min();
  for (const Op op : {Op::mulhi_u, Op::div_u, Op::rem_u, Op::min_u, Op::max_u, Op::shr_u}) {
    for (const Value a : {Value{-1}, Value{0}, Value{7}, least}) {
      for (const Value b : {Value{-3}, Value{1}, Value{2}, least})
        CHECK(apply(op, kUnbounded, kUnbounded, a, b) == apply(op, 64, 64, a, b));
    }
  }
  CHECK(apply(Op::max_u, kUnbounded, kUnbounded, -1, 1) == -1);
  CHECK(apply(Op::min_u, kUnbounded, kUnbounded, -1, 1) == 1);
  CHECK(apply(Op::lt_u, 1, kUnbounded, 1, -1) == 1);
  CHECK(apply(Op::zero_extend, kUnbounded, 64, -1) == -1);
  CHECK(apply(Op::zero_extend, kUnbounded, 32, 0xffffffff) == 0xffffffff);
}

TEST_CASE("an overflow while folding is kept for who needs the value") {
  ExprPool pool;
  const Expr most = pool.constant(std::numeric_limits<Value>::max(), kUnbounded);
  const Expr sum = pool.make(Op::add, kUnbounded, most, pool.constant(1, kUnbounded));
  CHECK(!pool.is_constant(sum));
  CHECK_THROWS_AS(pool.evaluate(sum, [](const Node&) { return std::nullopt; }), Overflow);
}

struct Folding {
  ExprPool pool;
  Expr x = pool.value_of(1, 32), y = pool.value_of(2, 32);
  Expr p = pool.make(Op::eq, 1, x, number(7)), q = pool.make(Op::eq, 1, y, number(7));
  Expr number(Value v) { return pool.constant(v, 32); }
  Expr make(Op op, Expr a, Expr b = {}) { return pool.make(op, 32, a, b); }
  Expr both(Expr a, Expr b) { return pool.conjunction(a, b); }
  Expr either(Expr a, Expr b) { return pool.disjunction(a, b); }
  Expr no(Expr a) { return pool.negation(a); }
  Expr pick(Expr c, Expr a, Expr b) { return pool.make(Op::ite, pool[a].width, c, a, b); }
};

TEST_CASE_FIXTURE(Folding, "arithmetic identities leave no dependency") {
  CHECK(make(Op::sub, x, x) == number(0));
  CHECK(make(Op::xor_, x, x) == number(0));
  CHECK(make(Op::and_, x, number(0)) == number(0));
  CHECK(make(Op::and_, x, number(-1)) == x);
  CHECK(make(Op::mul, number(0), x) == number(0));
  CHECK(make(Op::mul, x, number(1)) == x);
  CHECK(make(Op::add, number(0), x) == x);
  CHECK(make(Op::or_, x, number(0)) == x);
  CHECK(make(Op::or_, x, number(-1)) == number(-1));
  CHECK(make(Op::xor_, x, number(0)) == x);
  CHECK(make(Op::xor_, make(Op::xor_, x, y), x) == y);
  CHECK(make(Op::sub, make(Op::add, x, y), y) == x);
  CHECK(make(Op::add, make(Op::sub, x, y), y) == x);
  CHECK(make(Op::neg, make(Op::neg, x)) == x);
  CHECK(make(Op::not_, make(Op::not_, x)) == x);
  CHECK(make(Op::min_s, x, x) == x);
  CHECK(make(Op::shl, x, number(0)) == x);
  CHECK(make(Op::rem_u, x, number(1)) == number(0));
  CHECK(make(Op::add, make(Op::add, x, number(3)), number(4)) == make(Op::add, x, number(7)));
  CHECK(make(Op::sub, make(Op::add, x, number(3)), number(3)) == x);
  CHECK(make(Op::add, x, y) == make(Op::add, y, x));
  CHECK(make(Op::sub, x, y) != make(Op::sub, y, x));
  CHECK(pool.atoms(make(Op::add, make(Op::sub, x, x), y)) == std::vector<EventId>{2});
}

TEST_CASE_FIXTURE(Folding, "what does not fold keeps its dependency") {
  for (const Op op : {Op::sub, Op::xor_, Op::and_, Op::div_u}) {
    CHECK(pool.atoms(make(op, x, y)) == std::vector<EventId>{1, 2});
  }
  CHECK(pool.atoms(make(Op::div_u, x, x)) == std::vector<EventId>{1});  // 0/0 is all ones
  CHECK(pool.atoms(make(Op::mul, x, number(2))) == std::vector<EventId>{1});
}

TEST_CASE_FIXTURE(Folding, "comparisons") {
  CHECK(pool.is_true(pool.make(Op::eq, 1, x, x)));
  CHECK(pool.is_false(pool.make(Op::ne, 1, x, x)));
  CHECK(pool.is_false(pool.make(Op::lt_s, 1, x, x)));
  CHECK(pool.is_true(pool.make(Op::le_u, 1, x, x)));
  CHECK(pool.make(Op::ne, 1, x, y) == no(pool.make(Op::eq, 1, y, x)));
  CHECK(pool.make(Op::le_s, 1, x, y) == no(pool.make(Op::lt_s, 1, y, x)));
  CHECK(pool.is_false(pool.make(Op::lt_u, 1, x, number(0))));
  CHECK(pool.is_true(pool.make(Op::le_u, 1, x, number(-1))));
  CHECK(pool.make(Op::eq, 1, make(Op::add, x, number(3)), number(10)) == p);
  const Expr wide = pool.make(Op::zero_extend, 64, x);
  CHECK(pool.make(Op::eq, 1, wide, pool.constant(7, 64)) == p);
  CHECK(pool.is_false(pool.make(Op::eq, 1, wide, pool.constant(-1, 64))));
  const Expr extended = pool.make(Op::sign_extend, 64, x);
  CHECK(pool.make(Op::eq, 1, extended, pool.constant(-1, 64)) == pool.make(Op::eq, 1, x, number(-1)));
  CHECK(pool.is_false(pool.make(Op::eq, 1, extended, pool.constant(0xffffffff, 64))));
}

TEST_CASE_FIXTURE(Folding, "truth values") {
  CHECK(both(p, p) == p);
  CHECK(pool.is_false(both(p, no(p))));
  CHECK(pool.is_true(either(p, no(p))));
  CHECK(both(p, both(p, q)) == both(p, q));
  CHECK(both(p, either(p, q)) == p);
  CHECK(both(p, either(no(p), q)) == both(p, q));
  CHECK(either(both(p, q), both(p, no(q))) == p);
  CHECK(either(both(both(p, q), p), no(p)) == either(q, no(p)));
  CHECK(no(no(p)) == p);
  CHECK(pool.make(Op::xor_, 1, p, no(p)) == pool.truth(true));
}

TEST_CASE_FIXTURE(Folding, "choices") {
  CHECK(pick(p, x, x) == x);
  CHECK(pick(pool.truth(true), x, y) == x);
  CHECK(pick(pool.truth(false), x, y) == y);
  CHECK(pick(p, pick(p, x, y), y) == pick(p, x, y));
  CHECK(pick(p, x, pick(p, x, y)) == pick(p, x, y));
  CHECK(pick(no(p), x, y) == pick(p, y, x));
  CHECK(pick(p, pool.truth(true), pool.truth(false)) == p);
  CHECK(pick(p, pool.truth(false), pool.truth(true)) == no(p));
  CHECK(pick(p, q, pool.truth(false)) == both(p, q));
  CHECK(pool.make(Op::eq, 1, pick(p, number(1), number(0)), number(1)) == p);
  CHECK(pool.make(Op::eq, 1, pick(p, number(1), number(0)), number(0)) == no(p));
  CHECK(pool.is_false(pool.make(Op::eq, 1, pick(p, number(1), number(0)), number(2))));
}

TEST_CASE_FIXTURE(Folding, "width changes") {
  const Expr wide = pool.make(Op::zero_extend, 64, x);
  CHECK(pool.make(Op::truncate, 32, wide) == x);
  CHECK(pool.make(Op::truncate, 16, wide) == pool.make(Op::truncate, 16, x));
  const Expr narrow = pool.value_of(3, 8);
  CHECK(pool.make(Op::truncate, 16, pool.make(Op::sign_extend, 64, narrow)) ==
        pool.make(Op::sign_extend, 16, narrow));
  CHECK(pool.make(Op::sign_extend, 64, pool.make(Op::zero_extend, 32, narrow)) ==
        pool.make(Op::zero_extend, 64, narrow));
}

/// Bits `low` to `low` + `bits` of e, stored and read again as a piece of a word.
Expr piece(ExprPool& pool, Expr e, unsigned low, Width bits, Width width) {
  const Width from = pool[e].width;
  Expr out = pool.make(Op::shr_u, from, e, pool.constant(low, from));
  if (bits < from) out = pool.make(Op::truncate, bits, out);
  if (bits < width) out = pool.make(Op::zero_extend, width, out);
  return pool.make(Op::shl, width, out, pool.constant(low, width));
}

TEST_CASE("the pieces of a value, put together, are the value") {
  ExprPool pool;
  const Expr x = pool.value_of(1, 64), y = pool.value_of(2, 64), half = pool.value_of(3, 32);
  const auto joined = [&](Expr e, std::initializer_list<Width> sizes, Width width) {
    Expr out = pool.constant(0, width);
    unsigned low = 0;
    for (const Width bits : sizes) {
      out = pool.make(Op::or_, width, out, piece(pool, e, low, bits, width));
      low += bits;
    }
    return out;
  };
  CHECK(joined(x, {32, 32}, 64) == x);
  CHECK(joined(x, {8, 8, 8, 8, 8, 8, 8, 8}, 64) == x);
  CHECK(joined(x, {16, 8, 8, 32}, 64) == x);
  CHECK(joined(half, {8, 16, 8}, 32) == half);
  for (const Op extend : {Op::zero_extend, Op::sign_extend}) {
    const Expr wide = pool.make(extend, 64, half);
    CHECK(joined(wide, {8, 8, 8, 8, 8, 8, 8, 8}, 64) == wide);
  }
  CHECK(joined(x, {8, 8, 8, 8}, 32) == pool.make(Op::truncate, 32, x));
  CHECK(joined(x, {8, 16}, 64) == pool.make(Op::and_, 64, x, pool.constant(0xffffff, 64)));
  // With two values, or with a gap, it is neither.
  const Expr low = piece(pool, x, 0, 32, 64);
  CHECK(pool[pool.make(Op::or_, 64, low, piece(pool, y, 32, 32, 64))].op == Op::or_);
  CHECK(pool[pool.make(Op::or_, 64, piece(pool, x, 0, 8, 64), piece(pool, x, 16, 8, 64))].op == Op::or_);
}

TEST_CASE("some bits of a value are written in one way") {
  ExprPool pool;
  const Expr x = pool.value_of(1, 64), narrow = pool.value_of(2, 32);
  const auto shift = [&](Expr e, Value by) {
    const Width width = pool[e].width;
    return pool.make(Op::shr_u, width, e, pool.constant(by, width));
  };
  const auto mask = [&](Expr e, Value bits) { return pool.make(Op::and_, 64, e, pool.constant(bits, 64)); };
  const auto cut = [&](Expr e, Width width) { return pool.make(Op::truncate, width, e); };
  const auto extend = [&](Expr e, Width width) { return pool.make(Op::zero_extend, width, e); };
  const Expr high = shift(x, 32);
  CHECK(extend(cut(high, 32), 64) == high);
  CHECK(shift(shift(x, 8), 24) == high);
  CHECK(shift(cut(shift(x, 8), 32), 8) == cut(mask(shift(x, 16), 0xffffff), 32));
  CHECK(cut(shift(cut(high, 32), 8), 8) == cut(shift(x, 40), 8));
  CHECK(mask(x, 0xffff) == extend(cut(x, 16), 64));
  CHECK(mask(mask(x, 0xfff), 0xff) == mask(x, 0xff));
  CHECK(mask(extend(narrow, 64), 0xff) == extend(cut(narrow, 8), 64));
  // No bits are left.
  for (const Expr none : {shift(high, 32), mask(shift(extend(cut(x, 8), 64), 8), 0xff),
                          shift(mask(x, 0xffff), 16), shift(extend(narrow, 64), 32)})
    CHECK(none == pool.constant(0, 64));
  CHECK(cut(shift(high, 32), 8) == pool.constant(0, 8));
}

TEST_CASE("pieces of values, in any mixture, keep their number") {
  std::mt19937_64 random(5);
  const Width widths[] = {8, 16, 32, 64};
  for (int round = 0; round < 3000; ++round) {
    ExprPool pool;
    const Value numbers[] = {static_cast<Value>(random()), static_cast<Value>(random())};
    const auto look = [&](const Node& n) { return std::optional<Value>(wrap(numbers[n.atom % 2], n.width)); };
    const Width width = widths[1 + random() % 3];
    Expr out = pool.constant(0, width);
    Value want = 0;
    for (int k = 0; k < 4; ++k) {
      const Width from = widths[random() % 4], bits = widths[random() % 4];
      const EventId atom = random() % 5 == 0 ? 1 : 0;
      const unsigned low = 8 * static_cast<unsigned>(random() % 8),
                     at = 8 * static_cast<unsigned>(random() % 8);
      Expr e = pool.value_of(atom, from, 0);
      if (random() % 3 == 0) e = pool.make(random() % 2 ? Op::sign_extend : Op::zero_extend, 64, e);
      const Width now = pool[e].width;
      e = pool.make(Op::shr_u, now, e, pool.constant(low, now));
      if (bits < now) e = pool.make(Op::truncate, bits, e);
      if (pool[e].width > width) e = pool.make(Op::truncate, width, e);
      if (pool[e].width < width) e = pool.make(Op::zero_extend, width, e);
      e = pool.make(Op::shl, width, e, pool.constant(at, width));
      want |= *pool.evaluate(e, look);
      out = pool.make(Op::or_, width, out, e);
      REQUIRE(pool.evaluate(out, look) == want);
    }
  }
}

/// A random expression, built with folding in `pool` and evaluated directly beside it.
class RandomExpressions {
 public:
  explicit RandomExpressions(unsigned seed) : random_(seed) {
    for (EventId atom = 0; atom < 3; ++atom) values_[atom] = wrap(static_cast<Value>(random_() % 5) - 2, 8);
    for (EventId atom = 0; atom < 3; ++atom) add(8, pool_.value_of(atom, 8), values_[atom]);
    for (const Value v : {0, 1, -1, 2, 127, 128}) add(8, pool_.constant(v, 8), wrap(v, 8));
    add(1, pool_.truth(true), 1);
  }

  void grow() {
    static const Op wide[] = {Op::add,   Op::sub,   Op::mul,  Op::div_s, Op::div_u, Op::rem_s,
                              Op::min_s, Op::max_u, Op::and_, Op::or_,   Op::xor_,  Op::shl,
                              Op::shr_s, Op::shr_u, Op::neg,  Op::not_,  Op::abs};
    static const Op tests[] = {Op::eq, Op::ne, Op::lt_s, Op::lt_u, Op::le_s, Op::le_u};
    static const Op truths[] = {Op::and_, Op::or_, Op::xor_, Op::not_};
    switch (random_() % 4) {
      case 0:
        return apply_to(wide[random_() % std::size(wide)], 8, 8);
      case 1:
        return apply_to(tests[random_() % std::size(tests)], 1, 8);
      case 2:
        return apply_to(truths[random_() % std::size(truths)], 1, 1);
      default: {
        const auto [c, cv] = any(1);
        const Width width = random_() % 2 ? 8 : 1;
        const auto [a, av] = any(width);
        const auto [b, bv] = any(width);
        return add(width, pool_.make(Op::ite, width, c, a, b), cv != 0 ? av : bv);
      }
    }
  }

  void check() const {
    for (const auto& list : {eights_, truths_}) {
      for (const auto& [e, value] : list) {
        const auto got =
            pool_.evaluate(e, [&](const Node& n) { return std::optional<Value>(values_[n.atom]); });
        REQUIRE(got.has_value());
        REQUIRE(*got == value);
      }
    }
  }

 private:
  using Known = std::pair<Expr, Value>;
  Known any(Width width) {
    const auto& list = width == 1 ? truths_ : eights_;
    return list[random_() % list.size()];
  }
  void add(Width width, Expr e, Value value) { (width == 1 ? truths_ : eights_).emplace_back(e, value); }
  void apply_to(Op op, Width width, Width operands) {
    const auto [a, av] = any(operands);
    if (arity(op) == 1) return add(width, pool_.make(op, width, a), apply(op, width, operands, av));
    const auto [b, bv] = any(operands);
    add(width, pool_.make(op, width, a, b), apply(op, width, operands, av, bv));
  }

  std::mt19937 random_;
  ExprPool pool_;
  Value values_[3] = {};
  std::vector<Known> eights_, truths_;
};

TEST_CASE("folding agrees with direct evaluation on random expressions") {
  for (unsigned seed = 0; seed < 400; ++seed) {
    RandomExpressions expressions(seed);
    for (int i = 0; i < 150; ++i) expressions.grow();
    expressions.check();
  }
}

TEST_CASE_FIXTURE(Folding, "evaluation knows what it can") {
  const auto only_x = [](const Node& n) { return n.atom == 1 ? std::optional<Value>(7) : std::nullopt; };
  CHECK(pool.evaluate(p, only_x) == 1);
  CHECK(pool.evaluate(q, only_x) == std::nullopt);
  CHECK(pool.evaluate(either(p, q), only_x) == 1);
  CHECK(pool.evaluate(either(q, p), only_x) == 1);
  CHECK(pool.evaluate(both(q, no(p)), only_x) == 0);
  CHECK(pool.evaluate(both(p, q), only_x) == std::nullopt);
  CHECK(pool.evaluate(pick(p, number(5), y), only_x) == 5);
  CHECK(pool.evaluate(pick(q, number(5), y), only_x) == std::nullopt);
  CHECK(pool.evaluate(pick(q, x, number(7)), only_x) == 7);  // either way
  CHECK(pool.evaluate(make(Op::add, x, number(1)), only_x) == 8);
  CHECK(pool.evaluate(pool.final_value(1, 32), only_x) == 7);
}

TEST_CASE("expressions may be very deep") {
  ExprPool pool;
  Expr e = pool.value_of(0, 32);
  for (int i = 0; i < 300000; ++i) {
    e = pool.make(i % 2 ? Op::xor_ : Op::add, 32, e, pool.constant(i % 2 ? 5 : 3, 32));
  }
  CHECK(pool.evaluate(e, [](const Node&) { return std::optional<Value>(1); }).has_value());
  CHECK(pool.atoms(e) == std::vector<EventId>{0});
}

TEST_CASE("index 0 is the constant true: a default guard holds") {
  ExprPool pool;
  CHECK(pool.is_true(Expr{}));
}

}  // namespace
}  // namespace ptxmc::event

// SPDX-License-Identifier: Apache-2.0
// Which numbers sums of truth values and of parts may be.
#include "session/sums.h"

#include <doctest/doctest.h>

namespace ptxmc::session {
namespace {

using event::Expr;
using event::Op;

struct Made {
  event::ExprPool pool;
  Sums sums{pool};

  Expr open(event::Width width) {
    event::Term term;
    term.width = width;
    return pool.new_term(term);
  }
  Expr number(event::Value value, event::Width width = 32) { return pool.constant(value, width); }
  Expr count(Expr truth) { return pool.make(Op::zero_extend, 32, truth); }
  SumRange range(Expr value) {
    const auto sum = sums.of(value);
    REQUIRE(sum);
    return sums.range(*sum, [](Expr) { return std::nullopt; });
  }
};

TEST_CASE("a count of truth values, some times, and beside a number") {
  Made of;
  const Expr a = of.open(1), b = of.open(1);
  const Expr two = of.pool.make(Op::add, 32, of.count(a), of.count(of.pool.negation(b)));
  CHECK(of.range(two).least == 0);
  CHECK(of.range(two).most == 2);
  const Expr wide = of.pool.make(Op::sign_extend, 64, two);
  const Expr place =
      of.pool.make(Op::add, 64, of.pool.make(Op::mul, 64, wide, of.number(4, 64)), of.number(1024, 64));
  CHECK(of.range(place).least == 1024);
  CHECK(of.range(place).most == 1032);
  CHECK(of.range(place).step == 4);
  // One that is known counts, and what both have is in no difference.
  const auto sum = of.sums.of(place), other = of.sums.of(of.pool.make(Op::sign_extend, 64, of.count(a)));
  const auto truth = [&](Expr value) { return value == a ? std::optional(true) : std::nullopt; };
  CHECK(of.sums.range(*sum, truth).least == 1028);
  CHECK(Sums::difference(*sum, *sum)->times.empty());
  CHECK(Sums::difference(*sum, *other)->times.at(a) == 3);
}

TEST_CASE("what leaves the range of its width is no sum when it is extended") {
  Made of;
  const Expr a = of.open(1);
  const Expr below = of.pool.make(Op::sub, 32, of.count(a), of.number(1));
  CHECK(of.range(of.pool.make(Op::sign_extend, 64, below)).least == -1);
  const SumRange extended = of.range(of.pool.make(Op::zero_extend, 64, below));
  CHECK(extended.least == 0);
  CHECK(extended.most == 0xffffffff);
  const Expr byte = of.pool.make(Op::truncate, 8, of.open(32));
  const Expr sum = of.pool.make(Op::add, 8, byte, of.number(1, 8));
  CHECK(of.range(of.pool.make(Op::zero_extend, 32, sum)).most == 255);
}

TEST_CASE("choices between numbers, bits under a mask, and what is too large") {
  Made of;
  const Expr a = of.open(1), word = of.open(32);
  const SumRange chosen = of.range(of.pool.make(Op::ite, 32, a, of.number(9), of.number(5)));
  CHECK(chosen.least == 5);
  CHECK(chosen.step == 4);
  CHECK(of.range(of.pool.make(Op::and_, 32, word, of.number(63))).most == 63);
  CHECK_FALSE(of.sums.of(of.open(64)));
  CHECK_FALSE(of.sums.of(of.number(event::Value{1} << 50U, 64)));
}

}  // namespace
}  // namespace ptxmc::session

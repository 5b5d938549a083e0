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
    return sums.range(*sum, SumFacts());
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
  struct Holds : SumFacts {
    explicit Holds(Expr one) : one(one) {}
    std::optional<bool> truth(Expr value) const override {
      return value == one ? std::optional(true) : std::nullopt;
    }
    Expr one;
  };
  CHECK(of.sums.range(*sum, Holds(a)).least == 1028);
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

TEST_CASE("bits that are shifted, masked and divided") {
  Made of;
  const Expr word = of.open(32), wide = of.pool.make(Op::zero_extend, 64, of.open(32));
  const SumRange low = of.range(
      of.pool.make(Op::and_, 64, of.pool.make(Op::shl, 64, wide, of.number(2, 64)), of.number(508, 64)));
  CHECK(low.most == 508);
  CHECK(low.step == 4);
  CHECK(of.range(of.pool.make(Op::shr_u, 32, word, of.number(28))).most == 15);
  CHECK(of.range(of.pool.make(Op::rem_u, 32, word, of.number(60))).most == 59);
  CHECK(of.range(of.pool.make(Op::min_u, 32, word, of.number(7))).most == 7);
  CHECK(of.range(of.pool.make(Op::or_, 32, of.pool.make(Op::and_, 32, word, of.number(5)), of.number(8)))
            .most == 15);
}

/// word - (word * factor >> by) * divisor, as compilers write word % divisor.
Expr remainder(Made& of, Expr word, event::Value factor, event::Value by, event::Value divisor) {
  const Expr product =
      of.pool.make(Op::mul, 64, of.pool.make(Op::zero_extend, 64, word), of.number(factor, 64));
  const Expr quotient =
      of.pool.make(Op::truncate, 32, of.pool.make(Op::shr_u, 64, product, of.number(by, 64)));
  return of.pool.make(Op::sub, 32, word, of.pool.make(Op::mul, 32, quotient, of.number(divisor)));
}

TEST_CASE("a remainder through a product") {
  Made of;
  const SumRange sixty = of.range(remainder(of, of.open(32), 2290649225, 37, 60));
  CHECK(sixty.least == 0);
  CHECK(sixty.most == 59);
  // One less is no such factor for all words of 32 bits, but of 8.
  CHECK(of.range(remainder(of, of.open(32), 2290649224, 37, 60)).most > 59);
  CHECK(of.range(remainder(of, of.open(32), 4369, 18, 60)).most > 59);
  const Expr byte = of.pool.make(Op::zero_extend, 32, of.open(8));
  CHECK(of.range(remainder(of, byte, 4370, 18, 60)).most == 59);
}

TEST_CASE("conditions bound a part, extended by its sign, too") {
  struct Between : SumFacts {
    explicit Between(Expr one) : one(one) {}
    std::optional<Bounds> bounds(Expr value) const override {
      return value == one ? std::optional(Bounds{0, 63}) : std::nullopt;
    }
    Expr one;
  };
  Made of;
  const Expr word = of.open(32);
  const Expr place = of.pool.make(Op::mul, 64, of.pool.make(Op::sign_extend, 64, word), of.number(4, 64));
  const auto sum = of.sums.of(place);
  REQUIRE(sum);
  CHECK(of.sums.range(*sum, Between(word)).most == 252);
  CHECK(of.sums.range(*sum, SumFacts()).least == -(std::int64_t{1} << 33));
}

}  // namespace
}  // namespace ptxmc::session

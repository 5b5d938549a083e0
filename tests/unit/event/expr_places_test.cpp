// SPDX-License-Identifier: Apache-2.0
// What is known of the places of variables decides comparisons and differences of addresses.
#include "axiomatic/event/expr_places.h"

#include <doctest/doctest.h>

#include <string>

namespace ptxmc::event {
namespace {

Term place(std::string name, Value size, std::uint32_t memory, Width width = 64) {
  Term term;
  term.name = std::move(name);
  term.width = width;
  term.is_place = true;
  term.alignment = 4;
  term.size = size;
  term.least = 1;
  term.memory = memory;
  return term;
}

struct Addresses {
  ExprPool pool;
  Expr x = pool.new_term(place("x", 16, 0)), y = pool.new_term(place("y", 4, 1));
  Expr s = pool.new_term(place("s", 8, 2, 32));

  Expr number(Value value) { return pool.constant(value, 64); }
  Expr at(Expr base, Value offset) { return pool.make(Op::add, 64, base, number(offset)); }
  Expr eq(Expr a, Expr b) { return pool.make(Op::eq, 1, a, b); }
  Expr less(Expr a, Expr b) { return pool.make(Op::lt_u, 1, a, b); }
  bool open(Expr e) const { return !pool.is_constant(e); }
};

}  // namespace

TEST_CASE("places: equality") {
  Addresses a;
  CHECK(a.pool.is_true(a.eq(a.at(a.x, 4), a.at(a.at(a.x, 8), -4))));
  CHECK(a.pool.is_false(a.eq(a.at(a.x, 4), a.x)));
  CHECK(a.pool.is_false(a.eq(a.at(a.x, 12), a.y)));
  CHECK(a.open(a.eq(a.at(a.x, 16), a.y)));  // y may follow x
  CHECK(a.open(a.eq(a.at(a.x, -4), a.y)));
  CHECK(a.pool.is_false(a.eq(a.x, a.number(4098))));
  CHECK(a.pool.is_false(a.eq(a.x, a.number(0))));
  CHECK(a.open(a.eq(a.x, a.number(4096))));
  Term alias = place("z", 16, 0);
  CHECK(a.open(a.eq(a.x, a.pool.new_term(alias))));
  alias = place("w", 16, 9);
  alias.window = 1;
  CHECK(a.open(a.eq(a.x, a.pool.new_term(alias))));
}

TEST_CASE("places: order, differences, low bits") {
  Addresses a;
  CHECK(a.pool.is_true(a.less(a.x, a.at(a.x, 16))));
  CHECK(a.open(a.less(a.x, a.at(a.x, 20))));  // it may wrap around
  CHECK(a.open(a.less(a.x, a.y)));
  CHECK(a.pool.make(Op::sub, 64, a.at(a.x, 8), a.at(a.x, 4)) == a.number(4));
  CHECK(a.open(a.pool.make(Op::sub, 64, a.x, a.y)));
  CHECK(a.pool.make(Op::and_, 64, a.at(a.x, 6), a.number(3)) == a.number(2));
  CHECK(a.open(a.pool.make(Op::and_, 64, a.x, a.number(7))));
  CHECK(a.pool.make(Op::rem_u, 64, a.at(a.x, 6), a.number(4)) == a.number(2));
  CHECK(a.open(a.pool.make(Op::rem_u, 64, a.x, a.number(8))));
}

TEST_CASE("places: an address that is stored and loaded byte by byte") {
  Addresses a;
  const auto joined = [&](Expr address) {
    std::optional<Expr> whole;
    for (Value shift = 0; shift < 64; shift += 8) {
      const Expr byte = a.pool.make(Op::truncate, 8, a.pool.make(Op::shr_u, 64, address, a.number(shift)));
      const Expr back = a.pool.make(Op::shl, 64, a.pool.make(Op::zero_extend, 64, byte), a.number(shift));
      whole = whole ? a.pool.make(Op::or_, 64, *whole, back) : back;
    }
    return *whole;
  };
  const Expr wide = a.pool.make(Op::zero_extend, 64, a.s);
  for (const Expr address : {a.x, a.at(a.x, 4), wide, a.at(wide, 4)}) CHECK(joined(address) == address);
  const Expr low = a.pool.make(Op::and_, 64, a.x, a.number(0xffff));
  CHECK(a.open(a.pool.make(Op::or_, 64, low, a.pool.make(Op::and_, 64, a.y, a.number(0xff0000)))));
}

TEST_CASE("places of 32 bits: offsets inside do not wrap around") {
  Addresses a;
  const Expr wide = a.pool.make(Op::zero_extend, 64, a.s);
  const Expr narrow = a.pool.make(Op::add, 32, a.s, a.pool.constant(4, 32));
  CHECK(a.pool.make(Op::zero_extend, 64, narrow) == a.at(wide, 4));
  CHECK(a.pool.make(Op::truncate, 32, a.at(wide, 4)) == narrow);
  const Expr outside = a.pool.make(Op::add, 32, a.s, a.pool.constant(-4, 32));
  CHECK(a.pool[a.pool.make(Op::zero_extend, 64, outside)].op == Op::zero_extend);
  const auto sum = place_sum(a.pool, a.at(wide, 4));
  REQUIRE(sum);
  CHECK(sum->offset == 4);
  CHECK(!place_sum(a.pool, a.pool.make(Op::and_, 64, a.x, a.number(-8))));
}

}  // namespace ptxmc::event

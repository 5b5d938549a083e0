// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <limits>

#include "axiomatic/question/definition.h"
#include "axiomatic/recheck/naive_relations.h"
#include "axiomatic/recheck/naive_values.h"
#include "fixture.h"

using namespace ptxmc;
using namespace ptxmc::testing;
using check::EventSet;
using check::PairSet;
using event::Op;

namespace {

/// Evaluates one tree node on the message-passing execution (events: 0 ix, 1 iy, 2 wx, 3 wy, 4 ry, 5 rx).
struct Evaluator {
  MessagePassing mp;
  relation::MemoryModel model;
  relation::Tree& t = model.tree;

  template <typename Handle>
  auto operator()(Handle node) {
    check::NaiveRelations relations({mp.graph, mp.base, event::base_signature(), model, mp.state.witness});
    return relations.value(node);
  }
  relation::Rel rel(const char* name) { return t.base_relation(base_id(name)); }
  relation::Set set(const char* name) { return t.base_set(base_id(name)); }
};

/// One operator on constants, without the folding of the pool.
event::Value interpret(Op op, event::Width width, event::Width operand, event::Value a, event::Value b = 0) {
  GraphBuilder builder;
  event::ExprPool& pool = builder.graph.exprs;
  const event::CellId x = builder.cell("x"), y = builder.cell("y");
  const EventId ea = builder.initial(x), eb = builder.initial(y);
  const event::Expr e = pool.make(op, width, pool.value_of(ea, operand), pool.value_of(eb, operand));
  event::Execution execution;
  execution.exists = relation::BitSet(2);
  execution.exists.set_all();
  execution.values = {a, b};
  check::NaiveValues values(builder.graph, execution);
  return values.value(e).value();
}

}  // namespace

TEST_CASE("relational operators") {
  Evaluator e;
  relation::Tree& t = e.t;
  const auto po = e.rel("po"), rf = e.rel("rf");
  CHECK(e(po) == PairSet{{2, 3}, {4, 5}});
  CHECK(e(rf) == PairSet{{2, 5}, {3, 4}});
  CHECK(e(t.unite(po, rf)) == PairSet{{2, 3}, {2, 5}, {3, 4}, {4, 5}});
  CHECK(e(t.intersect(po, rf)) == PairSet{});
  CHECK(e(t.subtract(t.unite(po, rf), rf)) == e(po));
  CHECK(e(t.sequence(po, rf)) == PairSet{{2, 4}});
  CHECK(e(t.inverse(po)) == PairSet{{3, 2}, {5, 4}});
  CHECK(e(t.closure(t.unite(po, rf))) == PairSet{{2, 3}, {2, 4}, {2, 5}, {3, 4}, {3, 5}, {4, 5}});
  CHECK(e(t.restrict_to(e.set("R"))) == PairSet{{4, 4}, {5, 5}});
  CHECK(e(t.product(e.set("IW"), e.set("R"))) == PairSet{{0, 4}, {0, 5}, {1, 4}, {1, 5}});
  CHECK(e(t.identity()).size() == 6);
  CHECK(e(t.order_choice(0)) == PairSet{{0, 2}, {1, 3}});
  CHECK(e(t.domain(rf)) == EventSet{2, 3});
  CHECK(e(t.range(rf)) == EventSet{4, 5});
  CHECK(e(t.subtract(e.set("W"), e.set("IW"))) == EventSet{2, 3});
  CHECK(e(t.unite(e.set("IW"), e.set("R"))) == EventSet{0, 1, 4, 5});
  CHECK(e(t.intersect(e.set("IW"), e.set("W"))) == EventSet{0, 1});
}

TEST_CASE("from-reads leaves out the read's own operation and other cells") {
  Evaluator e;
  e.mp.state = e.mp.witness(0, 0);
  const auto fr = e.t.from_reads(e.t.order_choice(0));
  CHECK(e(fr) == PairSet{{4, 3}, {5, 2}});
  e.mp.state.witness.orders[0].set(e.mp.ix, e.mp.wy);  // another cell
  CHECK(e(fr) == PairSet{{4, 3}, {5, 2}});
  e.mp.graph.events[e.mp.rx].rmw_partner = e.mp.wx;
  CHECK(e(fr) == PairSet{{4, 3}});
}

TEST_CASE("an event that does not exist is in no set and no relation") {
  Evaluator e;
  e.mp.state.witness.exists.reset(e.mp.wx);
  CHECK(e(e.set("W")) == EventSet{0, 1, 3});
  CHECK(e(e.rel("po")) == PairSet{{4, 5}});
  CHECK(e(e.t.order_choice(0)) == PairSet{{1, 3}});
}

TEST_CASE("let rec is a least fixed point, also of two variables and of one group inside another's body") {
  Evaluator e;
  relation::Tree& t = e.t;
  const auto step = t.unite(e.rel("po"), e.rel("rf"));
  const std::uint32_t one = t.open_group(1);
  const relation::Rel v = t.groups()[one].variables[0];
  t.set_bodies(one, {t.unite(step, t.sequence(v, v))});
  CHECK(e(v) == e(t.closure(step)));

  const std::uint32_t two = t.open_group(2);  // odd and even numbers of steps
  const auto odd = t.groups()[two].variables[0], even = t.groups()[two].variables[1];
  t.set_bodies(two, {t.unite(step, t.sequence(even, step)), t.sequence(odd, step)});
  CHECK(e(odd) == PairSet{{2, 3}, {2, 5}, {3, 4}, {4, 5}});
  CHECK(e(even) == PairSet{{2, 4}, {3, 5}});

  const std::uint32_t outer = t.open_group(1);  // uses the solved group v within its body
  const relation::Rel w = t.groups()[outer].variables[0];
  t.set_bodies(outer, {t.unite(t.intersect(v, e.rel("po")), t.sequence(w, v))});
  CHECK(e(w) == PairSet{{2, 3}, {2, 4}, {2, 5}, {4, 5}});
}

TEST_CASE("definitions, orders and base names by name") {
  MessagePassing mp;
  const check::NaiveInput input{mp.graph, mp.base, event::base_signature(), mp.model, mp.state.witness};
  CHECK(std::get<EventSet>(*check::evaluate_definition(input, "writes")) == EventSet{0, 1, 2, 3});
  CHECK(std::get<PairSet>(*check::evaluate_definition(input, "co")) == PairSet{{0, 2}, {1, 3}});
  CHECK(std::get<PairSet>(*check::evaluate_definition(input, "rf")) == PairSet{{2, 5}, {3, 4}});
  CHECK(std::get<EventSet>(*check::evaluate_definition(input, "IW")) == EventSet{0, 1});
  CHECK_FALSE(check::evaluate_definition(input, "nonesuch"));
}

TEST_CASE("operators on values") {
  struct Row {
    Op op;
    event::Value a, b, expected;  // 8 bits
  };
  const Row rows[] = {
      {Op::add, 0xff, 2, 1},         {Op::sub, 1, 2, 0xff},        {Op::mul, 0x10, 0x11, 0x10},
      {Op::mulhi_s, 0x80, 2, 0xff},  {Op::mulhi_u, 0x80, 2, 1},    {Op::div_s, 0xf9, 2, 0xfd},
      {Op::div_s, 0x80, 0xff, 0x80}, {Op::div_s, 7, 0, 0xff},      {Op::div_u, 0xf9, 2, 0x7c},
      {Op::div_u, 7, 0, 0xff},       {Op::rem_s, 0xf9, 2, 0xff},   {Op::rem_s, 0x80, 0xff, 0},
      {Op::rem_s, 7, 0, 7},          {Op::rem_u, 0xf9, 2, 1},      {Op::rem_u, 7, 0, 7},
      {Op::min_s, 0xff, 1, 0xff},    {Op::min_u, 0xff, 1, 1},      {Op::max_s, 0xff, 1, 1},
      {Op::max_u, 0xff, 1, 0xff},    {Op::and_, 0xcc, 0xaa, 0x88}, {Op::or_, 0xcc, 0xaa, 0xee},
      {Op::xor_, 0xcc, 0xaa, 0x66},  {Op::shl, 0x81, 1, 2},        {Op::shl, 1, 8, 0},
      {Op::shr_s, 0x80, 1, 0xc0},    {Op::shr_s, 0x80, 9, 0xff},   {Op::shr_u, 0x80, 1, 0x40},
      {Op::shr_u, 0x80, 8, 0},
  };
  for (const Row& row : rows) {
    CAPTURE(static_cast<int>(row.op));
    CAPTURE(row.a);
    CAPTURE(row.b);
    CHECK(interpret(row.op, 8, 8, row.a, row.b) == row.expected);
    CHECK(event::apply(row.op, 8, 8, row.a, row.b) == row.expected);  // the engines' evaluator says the same
  }
  CHECK(interpret(Op::neg, 8, 8, 1) == 0xff);
  CHECK(interpret(Op::abs, 8, 8, 0x80) == 0x80);
  CHECK(interpret(Op::abs, 8, 8, 0xff) == 1);
  CHECK(interpret(Op::not_, 8, 8, 0xf0) == 0x0f);
  CHECK(interpret(Op::lt_s, 1, 8, 0xff, 0) == 1);
  CHECK(interpret(Op::lt_u, 1, 8, 0xff, 0) == 0);
  CHECK(interpret(Op::sign_extend, 16, 8, 0x80) == 0xff80);
  CHECK(interpret(Op::zero_extend, 16, 8, 0x80) == 0x80);
  CHECK(interpret(Op::truncate, 8, 16, 0x1234) == 0x34);
  CHECK(interpret(Op::mul, 64, 64, -1, -1) == 1);
  CHECK(interpret(Op::mulhi_u, 64, 64, -1, -1) == -2);
}

TEST_CASE("unbounded values") {
  const event::Value big = std::numeric_limits<event::Value>::max();
  CHECK(interpret(Op::add, 0, 0, 1LL << 40, 1LL << 40) == 1LL << 41);
  CHECK(interpret(Op::lt_s, 1, 0, -1, 0) == 1);
  CHECK_THROWS_AS(interpret(Op::add, 0, 0, big, 1), event::Overflow);
  CHECK_THROWS_AS(interpret(Op::mul, 0, 0, big, 2), event::Overflow);
  CHECK_THROWS_AS(interpret(Op::shl, 0, 0, 1, 63), event::Overflow);
  // Unsigned operations are on patterns of 64 bits.
  CHECK(interpret(Op::div_u, 0, 0, -4, 2) == big - 1);
  CHECK(interpret(Op::max_u, 0, 0, -4, 2) == -4);
  CHECK(interpret(Op::min_u, 0, 0, -4, 2) == 2);
  CHECK(interpret(Op::rem_u, 0, 0, -1, 2) == 1);
  CHECK(interpret(Op::shr_u, 0, 0, -1, 1) == big);
  CHECK(interpret(Op::mulhi_u, 0, 0, -1, -1) == -2);
  CHECK(interpret(Op::lt_u, 1, 0, -1, 0) == 0);
  CHECK(interpret(Op::le_u, 1, 0, 0, -1) == 1);
  CHECK(interpret(Op::zero_extend, 0, 64, -1) == -1);
}

TEST_CASE("what decides does not wait for what does not exist") {
  MessagePassing mp;
  mp.state.witness.exists.reset(mp.rx);
  event::ExprPool& pool = mp.graph.exprs;
  const event::Expr missing = mp.equal(mp.value(mp.rx), 3), known = mp.equal(mp.value(mp.ry), 1);
  check::NaiveValues values(mp.graph, mp.state.witness);
  CHECK_FALSE(values.truth(missing));
  CHECK(values.truth(pool.disjunction(known, missing)) == true);
  CHECK_FALSE(values.truth(pool.conjunction(known, missing)));
  CHECK(values.truth(pool.conjunction(pool.negation(known), missing)) == false);
  const event::Expr choice = pool.make(Op::ite, 32, known, pool.constant(7, 32), mp.value(mp.rx));
  CHECK(values.value(choice) == 7);
  CHECK_FALSE(values.value(pool.final_value(mp.x, 32)));
  values.set_final(mp.x, 9);
  CHECK(values.value(pool.final_value(mp.x, 32)) == 9);
}

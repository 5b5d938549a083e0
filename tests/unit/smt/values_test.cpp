// SPDX-License-Identifier: Apache-2.0
// Values: guards, finite domains, bits, overflow, cycles.
#include <doctest/doctest.h>

#include <random>

#include "axiomatic/engine/smt/cnf.h"
#include "axiomatic/engine/smt/words.h"
#include "toy.h"

using namespace ptxmc;
using namespace ptxmc::toy;
using event::Op;

TEST_CASE("an event exists iff its guard is true") {
  Program p(2);
  p.thread();
  p.write(0, 1);
  p.thread();
  const event::Expr seen = p.read(0);
  p.branch(p.equal(seen, 1));
  p.write(1, 7);
  p.observe_final(1);
  const engine::Result result = solve(p, model(sequential_consistency()));
  CHECK(states(result) == States{{0, 0}, {1, 7}});
  for (const engine::State& state : result.states) {
    const bool taken = state.values[0] == 1;
    CHECK(state.witness.exists.test(4) == taken);
    CHECK(state.witness.decisions == event::Assignment{taken ? event::Truth::yes : event::Truth::no});
    CHECK(state.witness.final_writes[1] == (taken ? 4u : 1u));
  }
}

TEST_CASE("coherence and from-reads ignore events that do not exist") {
  // Both branches write x; the later read must not be ordered by the write that did not happen.
  Program p(2);
  p.thread();
  p.write(0, 1);
  p.thread();
  const event::Expr seen = p.read(0);
  p.branch(p.equal(seen, 0));
  p.write(0, 2);
  p.thread();
  p.read(0);
  p.read(0);
  const States sc = states(solve(p, model(sequential_consistency())));
  CHECK(sc.count({1, 0, 1}) == 1);
  CHECK(sc.count({1, 1, 0}) == 0);
  CHECK(sc.count({0, 2, 1}) == 1);  // the conditional write first
  CHECK(sc.count({1, 2, 1}) == 0);  // no such write
}

TEST_CASE("assumptions cut executions") {
  Program p(1);
  p.thread();
  p.write(0, 1);
  p.thread();
  const event::Expr seen = p.read(0);
  p.graph.assumptions.push_back(p.equal(seen, 1));  // a spin loop that has ended
  CHECK(states(solve(p, model(sequential_consistency()))) == States{{1}});
}

TEST_CASE("more values than a list holds: bits") {
  std::vector<event::Value> choices;
  for (event::Value v = 0; v < 300; ++v) choices.push_back(v * 5);
  Program p(1, 32, choices);
  p.thread();
  const event::Expr value = p.read(0);
  p.observe("product", p.graph.exprs.make(Op::mul, 32, value, p.constant(7)));
  p.graph.filter = p.graph.exprs.make(Op::lt_u, 1, p.constant(1470), value);
  const engine::Result result = solve(p, model(sequential_consistency()));
  CHECK(result.complete);
  CHECK(states(result) ==
        States{{1475, 7 * 1475}, {1480, 7 * 1480}, {1485, 7 * 1485}, {1490, 7 * 1490}, {1495, 7 * 1495}});
}

TEST_CASE("unbounded integers that leave 64 bits make the answer unknown") {
  Program p(1, event::kUnbounded, {0, 1, event::Value{1} << 62});
  p.thread();
  const event::Expr value = p.read(0);
  p.observe("sum", p.graph.exprs.make(Op::add, event::kUnbounded, value, value));
  const engine::Result result = solve(p, model(sequential_consistency()));
  CHECK_FALSE(result.complete);
  CHECK(result.unknown == "overflow");
  CHECK(states(result) == States{{0, 0}, {1, 2}});
}

TEST_CASE("values out of thin air") {
  Program p(2);
  p.thread();
  const event::Expr a = p.read(0);
  p.write(1, a);
  p.thread();
  const event::Expr b = p.read(1);
  p.write(0, b);
  const engine::Result sc = solve(p, model(sequential_consistency()));
  CHECK(sc.complete);
  CHECK(states(sc) == States{{0, 0}});
  const engine::Result thin = solve(p, model(coherence_only()));
  CHECK_FALSE(thin.complete);
  CHECK(thin.unknown == "value-cycle");
  const engine::Result forbidden = solve(p, model(coherence_only() + "acyclic rf | dep\n"));
  CHECK(forbidden.complete);
  CHECK(states(forbidden) == States{{0, 0}});
}

namespace {

/// The circuit's word for op on constants must fold to the constant that event::apply gives.
void check_constant(Op op, event::Width width, event::Width from, event::Value a, event::Value b) {
  engine::smt::Circuit circuit;
  engine::smt::Words words(circuit);
  std::vector<engine::smt::Lit> overflow;
  const engine::smt::Word got =
      words.apply(op, width, words.constant(a, from), words.constant(b, from), overflow);
  event::Value value = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    REQUIRE((got[i] == engine::smt::kTrue || got[i] == engine::smt::kFalse));
    value |= static_cast<event::Value>(std::uint64_t{got[i] == engine::smt::kTrue} << i);
  }
  const bool overflows = circuit.disjunction(overflow) == engine::smt::kTrue;
  CAPTURE(static_cast<int>(op));
  CAPTURE(static_cast<int>(width));
  CAPTURE(a);
  CAPTURE(b);
  try {
    const event::Value want = event::apply(op, width, from, a, b);
    CHECK(value == want);
    CHECK_FALSE(overflows);
  } catch (const event::Overflow&) {
    CHECK(overflows);
  }
}

}  // namespace

TEST_CASE("circuits compute what expressions compute") {
  std::mt19937_64 random(7);
  const Op arithmetic[] = {Op::add,   Op::sub,   Op::mul,   Op::mulhi_s, Op::mulhi_u, Op::div_s,
                           Op::div_u, Op::rem_s, Op::rem_u, Op::min_s,   Op::min_u,   Op::max_s,
                           Op::max_u, Op::neg,   Op::abs,   Op::and_,    Op::or_,     Op::xor_,
                           Op::not_,  Op::shl,   Op::shr_s, Op::shr_u};
  const Op comparisons[] = {Op::eq, Op::ne, Op::lt_s, Op::lt_u, Op::le_s, Op::le_u};
  for (const event::Width width :
       {event::Width{8}, event::Width{16}, event::Width{32}, event::Width{64}, event::kUnbounded}) {
    for (int round = 0; round < 12; ++round) {
      const auto draw = [&] {
        const event::Value special[] = {0, 1, -1, 2, std::numeric_limits<event::Value>::min(), 127, 128};
        const bool small = random() % 2 == 0;
        const event::Value value =
            small ? special[random() % 7] : static_cast<event::Value>(random() >> (random() % 64));
        return event::wrap(value, width);
      };
      const event::Value a = draw(), b = draw();
      for (const Op op : arithmetic) check_constant(op, width, width, a, b);
      for (const Op op : comparisons) check_constant(op, 1, width, a, b);
    }
  }
  check_constant(Op::sign_extend, 32, 8, 0x80, 0);
  check_constant(Op::zero_extend, 32, 8, 0x80, 0);
  check_constant(Op::truncate, 8, 32, 0x1ff, 0);
}

TEST_CASE("clauses mean what their circuit means") {
  // Random formulas over six inputs, each asserted, against the truth table.
  std::mt19937 random(3);
  for (int round = 0; round < 60; ++round) {
    engine::smt::Circuit circuit;
    engine::smt::Z3Solver solver;
    engine::smt::Cnf cnf(circuit, solver);
    std::vector<engine::smt::Lit> lits;
    for (int i = 0; i < 6; ++i) lits.push_back(circuit.input());
    const std::vector<engine::smt::Lit> inputs = lits;
    for (int i = 0; i < 14; ++i) {
      const auto pick = [&] {
        return random() % 2 == 0 ? lits[random() % lits.size()] : !lits[random() % lits.size()];
      };
      lits.push_back(random() % 3 == 0 ? circuit.choose(pick(), pick(), pick())
                                       : circuit.conjunction({pick(), pick(), pick()}));
    }
    const std::vector<engine::smt::Lit> roots{lits[lits.size() - 1], !lits[lits.size() - 2],
                                              lits[lits.size() - 3]};
    std::size_t expected = 0;
    for (unsigned bits = 0; bits < 64; ++bits) {
      std::vector<char> values(circuit.nodes(), 0);
      for (std::size_t i = 0; i < 6; ++i) values[inputs[i].node()] = static_cast<char>((bits >> i) & 1);
      engine::smt::Valuation valuation(circuit, values);
      expected += valuation(roots[0]) && (valuation(roots[1]) || valuation(roots[2])) ? 1 : 0;
    }
    cnf.require(roots[0]);
    cnf.require_any({roots[1], roots[2]});
    std::size_t found = 0;
    while (solver.check(std::nullopt) == engine::smt::Answer::satisfiable && found <= 64) {
      ++found;
      const std::vector<char> model = solver.model(circuit.nodes());
      std::vector<engine::smt::Lit> block;
      for (const engine::smt::Lit input : inputs) block.push_back(model[input.node()] != 0 ? !input : input);
      cnf.require_any(block);
    }
    CHECK(found == expected);
  }
}

TEST_CASE("final values: a list too long is bits, and a write that never exists does not count") {
  std::vector<event::Value> choices;
  for (event::Value v = 0; v < 110; ++v) choices.push_back(v);
  Program several(2, 32, choices);
  several.thread();
  several.write(0, several.graph.events[several.read_event(1)].value);
  several.thread();
  const event::Expr other = several.graph.events[several.read_event(1)].value;
  several.write(0, several.graph.exprs.make(Op::add, 32, other, several.constant(200)));
  several.observe_final(0);
  States both;
  for (const event::Value v : choices) both.insert({{v}, {v + 200}});
  CHECK(states(solve(several, model(sequential_consistency()))) == both);

  choices.resize(40);
  Program never(3, 32, choices);
  never.thread();
  const event::Expr a = never.graph.events[never.read_event(1)].value;
  const event::Expr b = never.graph.events[never.read_event(2)].value;
  never.branch(never.graph.exprs.truth(false));
  never.write(0, never.graph.exprs.make(Op::mul, 32, a, b));
  never.observe_final(0);
  States initial;
  for (const event::Value v : choices) initial.insert({v});
  CHECK(states(solve(never, model(sequential_consistency()))) == initial);
}

TEST_CASE("a choice whose condition never holds needs no list for its other branch") {
  std::vector<event::Value> choices;
  for (event::Value v = 0; v < 300; ++v) choices.push_back(v);
  Program p(2, 32, choices);
  p.thread();
  p.write(1, 5);
  const event::Expr wide = p.graph.events[p.read_event(0)].value;
  const event::Expr never =
      p.equal(p.graph.exprs.make(Op::and_, 32, p.constant(1), p.graph.events[2].value), 0);
  p.observe("chosen", p.graph.exprs.make(Op::ite, 32, never, wide, p.constant(9)));
  p.observe("product", p.graph.exprs.make(Op::and_, 32, wide, p.constant(0)));
  CHECK(states(solve(p, model(sequential_consistency()))) == States{{9, 0}});
}

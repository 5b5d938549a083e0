// SPDX-License-Identifier: Apache-2.0
// Long lists of states: packed, by several threads, or only counted.
#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "axiomatic/engine/count.h"
#include "axiomatic/engine/explicit/explicit.h"
#include "axiomatic/lower/lower.h"
#include "examples.h"
#include "input/litmus/parse.h"

using namespace ptxmc;
using namespace ptxmc::examples;

namespace {

// Many found states, each of which stands for several.
std::string readers(int threads) {
  std::string code = "P0 @ cta 0 { st.relaxed.gpu.u32 [x], 1; }\nP1 @ cta 1 { st.relaxed.gpu.u32 [y], 1; }\n";
  for (int t = 2; t < threads + 2; ++t) {
    code += "P" + std::to_string(t) + " @ cta " + std::to_string(t) +
            " { ld.relaxed.gpu.u32 %r0, [x]; fence.sc.gpu; ld.relaxed.gpu.u32 %r1, [y]; }\n";
  }
  return "PTX Readers\n{ .global .u32 x = 0; .global .u32 y = 0; }\n" + code +
         "exists (P2:%r0 == 1 /\\ P2:%r1 == 0 /\\ P3:%r0 == 0 /\\ P3:%r1 == 1)\n";
}

// The answer about a test whose states come packed, and these as they would come one by one.
std::pair<engine::Result, std::vector<engine::State>> unpacked(const std::string& test,
                                                               std::size_t witnesses = 1,
                                                               std::size_t jobs = 1) {
  const relation::MemoryModel model = load("ptx-9.4");
  Question question(model, test);
  engine::Query& query = question.query;
  query.witnesses = witnesses;
  query.packs_from = witnesses + 1;
  query.jobs = jobs;
  engine::Result result = engine::explicit_::solve(query);
  CHECK(result.complete);
  CHECK(result.states.size() == witnesses);
  REQUIRE(result.packed);
  const engine::PackedStates& packed = *result.packed;
  std::vector<engine::State> out;
  packed.for_each(0, packed.size(), [&](const std::vector<std::uint32_t>& codes, bool satisfied) {
    engine::State& state = out.emplace_back();
    for (std::size_t i = 0; i < codes.size(); ++i) state.values.push_back(packed.domain(i).at(codes[i]));
    state.satisfied = satisfied;
  });
  CHECK(out.size() == packed.size());
  return {std::move(result), std::move(out)};
}

void check_equal(const std::vector<engine::State>& left, const std::vector<engine::State>& right) {
  REQUIRE(left.size() == right.size());
  for (std::size_t i = 0; i < left.size(); ++i) {
    CHECK(left[i].values == right[i].values);
    CHECK(left[i].satisfied == right[i].satisfied);
  }
}

}  // namespace

TEST_CASE("packed states are the states, in their order") {
  for (const std::string& test : {kBuffering, kIncrements, ring(6)}) {
    const relation::MemoryModel model = load("ptx-9.4");
    check_equal(unpacked(test).second, engine::explicit_::solve(Question(model, test).query).states);
  }
}

TEST_CASE("several threads list the states that one lists, and the same of them have a witness") {
  for (const std::string& test : {kIncrements, readers(4), ring(6)}) {
    for (const std::size_t witnesses : {1, 3}) {
      const auto [alone, states] = unpacked(test, witnesses);
      for (const std::size_t jobs : {2, 5}) {
        const auto [together, same] = unpacked(test, witnesses, jobs);
        check_equal(same, states);
        check_equal(together.states, alone.states);
        CHECK(together.packed->satisfied() == alone.packed->satisfied());
      }
    }
  }
}

TEST_CASE("packed states are sorted as signed numbers, in one word or in several") {
  for (const std::size_t columns : {1, 3, 30, 100}) {
    event::ProgramGraph graph;
    for (std::size_t i = 0; i < columns; ++i) {
      event::Observable& observable = graph.observables.emplace_back();
      observable.width = 32;
    }
    std::vector<std::vector<event::Value>> domains(columns, {7, 0xFFFFFFFF, 0, 5, 7, 6});
    domains[0] = {7};  // nothing to tell apart
    if (columns == 1) domains[0] = {0, 0xFFFFFFFF};
    engine::PackedStates packed(graph, domains);
    std::vector<event::Value> high(columns, 7), low(columns, 7);
    high[0] = low[0] = domains[0][0];
    low.back() = 0xFFFFFFFF;
    packed.add(high, false);
    packed.add(low, true);
    packed.add(high, true);
    packed.sort();
    CHECK(packed.size() == 3);
    CHECK(packed.satisfied() == 2);
    std::vector<std::pair<event::Value, bool>> seen;
    packed.for_each(0, packed.size(), [&](const std::vector<std::uint32_t>& codes, bool satisfied) {
      seen.push_back({packed.domain(columns - 1)[codes.back()], satisfied});
    });
    const event::Value last = high.back();
    CHECK(seen ==
          std::vector<std::pair<event::Value, bool>>{{0xFFFFFFFF, true}, {last, true}, {last, false}});
  }
}

TEST_CASE("states are counted without being made") {
  const auto count = [](const std::string& test) {
    const relation::MemoryModel model = load("ptx-9.4");
    Question question(model, test);
    question.query.witnesses = 1;
    question.query.count = true;
    const engine::Result result = engine::explicit_::solve(question.query);
    CHECK(result.states.empty());
    CHECK(result.unknown == (result.count ? "" : engine::kUncountable));
    return result.count;
  };
  CHECK(count(kBuffering) == 4);
  CHECK(count(kIncrements) == 6);
  CHECK(count(ring(40)) == std::uint64_t{1} << 40);
  CHECK_FALSE(count(ring(64)));  // which is one more than 64 bits hold
}

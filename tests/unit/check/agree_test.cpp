// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/recheck/agree.h"

#include <doctest/doctest.h>

#include <memory>

#include "fixture.h"

using namespace ptxmc;
using namespace ptxmc::testing;

namespace {

engine::Result result_of(const MessagePassing& mp, std::vector<std::pair<int, int>> states,
                         bool complete = true) {
  engine::Result out;
  for (const auto& [r0, r1] : states) out.states.push_back(mp.witness(r0, r1));
  out.complete = complete;
  return out;
}

}  // namespace

TEST_CASE("agreement of all states") {
  const MessagePassing mp;
  const auto differences = [&](const engine::Result& a, const engine::Result& b) {
    return check::differences(mp.query(), "A", a, "B", b);
  };
  const engine::Result both = result_of(mp, {{0, 0}, {1, 1}}), one = result_of(mp, {{0, 0}});
  CHECK(differences(both, both).empty());
  CHECK(differences(both, one) ==
        std::vector<std::string>{"A finds the state 1:r0=1; 1:r1=1; [x]=1; and B does not"});
  CHECK(differences(one, both) ==
        std::vector<std::string>{"B finds the state 1:r0=1; 1:r1=1; [x]=1; and A does not"});
  CHECK(differences(both, result_of(mp, {{0, 0}}, false)).empty());     // B was not done
  CHECK(differences(one, result_of(mp, {{1, 1}}, false)).size() == 1);  // but what it found, A must have
  engine::Result judged = both;
  judged.states[1].satisfied = true;
  CHECK(differences(both, judged) ==
        std::vector<std::string>{"A and B differ on whether 1:r0=1; 1:r1=1; [x]=1; satisfies the condition"});
  CHECK(differences(result_of(mp, {{0, 0}, {0, 0}}), one) ==
        std::vector<std::string>{"A lists a state twice"});
}

TEST_CASE("agreement of verdicts is about whether there is a state") {
  const MessagePassing mp;
  engine::Query query{.graph = mp.graph,
                      .base = mp.base,
                      .signature = event::base_signature(),
                      .model = mp.model,
                      .ask = engine::Ask::verdict};
  const engine::Result one = result_of(mp, {{0, 0}}), other = result_of(mp, {{1, 1}}),
                       none = result_of(mp, {});
  CHECK(check::differences(query, "A", one, "B", other).empty());
  CHECK(check::differences(query, "A", one, "B", none) ==
        std::vector<std::string>{"A finds the state 1:r0=0; 1:r1=0; [x]=1; and B finds none"});
  CHECK(check::differences(query, "A", none, "B", one).size() == 1);
  CHECK(check::differences(query, "A", one, "B", result_of(mp, {}, false)).empty());
}

TEST_CASE("a packed list is compared as a whole, whatever the other side keeps") {
  const MessagePassing mp;
  const auto packed = [&](const std::vector<std::pair<int, int>>& states) {
    engine::Result out = result_of(mp, states);
    std::vector<std::vector<event::Value>> domains(mp.graph.observables.size());
    for (const engine::State& state : out.states) {
      for (std::size_t i = 0; i < state.values.size(); ++i) domains[i].push_back(state.values[i]);
    }
    auto all = std::make_shared<engine::PackedStates>(mp.graph, domains);
    for (const engine::State& state : out.states) all->add(state.values, state.satisfied);
    all->sort();
    out.packed = all;
    out.states.resize(1);  // those with a witness
    return out;
  };
  const auto differences = [&](const engine::Result& a, const engine::Result& b) {
    return check::differences(mp.query(), "A", a, "B", b);
  };
  const engine::Result all = packed({{0, 0}, {0, 1}, {1, 1}});
  CHECK(differences(all, result_of(mp, {{0, 0}, {0, 1}, {1, 1}})).empty());
  CHECK(differences(result_of(mp, {{1, 1}}, false), all).empty());
  CHECK(differences(all, packed({{0, 0}, {0, 1}, {1, 1}})).empty());
  CHECK(differences(all, result_of(mp, {{0, 0}, {1, 1}})) ==
        std::vector<std::string>{"A finds the state 1:r0=0; 1:r1=1; [x]=1; and B does not"});
  CHECK(differences(all, result_of(mp, {{1, 0}}, false)) ==
        std::vector<std::string>{"B finds the state 1:r0=1; 1:r1=0; [x]=1; and A does not"});
}

TEST_CASE("many differences are counted, and some named") {
  const MessagePassing mp;
  const engine::Result many = result_of(mp, {{0, 0}, {0, 1}, {1, 0}, {1, 1}, {2, 0}}),
                       none = result_of(mp, {});
  const auto lines = check::differences(mp.query(), "A", many, "B", none);
  REQUIRE(lines.size() == 3);
  CHECK(lines.back() == "A finds the state 1:r0=1; 1:r1=0; [x]=1; and B does not, and 2 more");
}

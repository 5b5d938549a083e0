// SPDX-License-Identifier: Apache-2.0
// Programs with events put in, moved or instead of others, as an engine sees them.
#include "axiomatic/question/hypothesis.h"

#include <doctest/doctest.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "axiomatic/engine/explicit/explicit.h"
#include "axiomatic/lower/lower.h"
#include "axiomatic/question/races.h"
#include "axiomatic/recheck/recheck.h"
#include "input/litmus/parse.h"
#include "model/models.h"

using namespace ptxmc;
using check::Hypothesis;
using event::EventId;
using event::EventKind;
using isa::Scope;

namespace {

event::ProgramGraph lowered(const std::string& test) {
  return lower::lower(litmus::parse(std::make_shared<const Source>(Source{"test", test})), {});
}

/// Values and whether they meet the condition, of all states; every witness is judged again.
std::set<std::pair<std::vector<event::Value>, bool>> states(const event::ProgramGraph& graph,
                                                            const event::BaseValues& base) {
  const relation::MemoryModel model = model::load("ptx-9.4", event::base_signature());
  const engine::Query query{.graph = graph,
                            .base = base,
                            .signature = event::base_signature(),
                            .model = model,
                            .ask = engine::Ask::states};
  const engine::Result result = engine::explicit_::solve(query);
  CHECK(result.complete);
  std::set<std::pair<std::vector<event::Value>, bool>> out;
  for (const engine::State& state : result.states) {
    out.emplace(state.values, state.satisfied);
    for (const std::string& what : check::recheck(query, state)) FAIL_CHECK(what);
  }
  return out;
}

auto states(const event::ProgramGraph& graph, const Hypothesis& hypothesis) {
  const check::Variant variant = check::apply(graph, check::instruction_keys(graph), hypothesis);
  return states(variant.graph, variant.base);
}

/// The only event of a kind in a line of the text (from 1).
EventId at(const event::ProgramGraph& graph, std::uint32_t line, EventKind kind) {
  EventId found = event::kNoEvent;
  for (EventId e = 0; e < graph.size(); ++e) {
    if (graph.events[e].position.line != line || graph.events[e].kind != kind) continue;
    CHECK(found == event::kNoEvent);
    found = e;
  }
  REQUIRE(found != event::kNoEvent);
  return found;
}

/// Every kind of reference between events: atomics, vectors, copies with their signals and groups, states of mbarrier
/// objects, barriers, decisions.
const std::string kTests[] = {
    "PTX atomics\n{ x=0; }\n"
    " P0@cta 0,gpu 0                 | P1@cta 1,gpu 0                 ;\n"
    " atom.relaxed.gpu.add r0, x, 1  | atom.relaxed.gpu.add r0, x, 1  ;\n"
    " beq r0, 0, L0                  | ld.relaxed.gpu r1, x           ;\n"
    " st.relaxed.gpu x, 5            |                                ;\n"
    " L0:                            |                                ;\n"
    "exists (P0:r0 == 0)\n",
    "PTX state\n{ .shared .b64 bar = 2; .shared .align 8 .u32 x[2]; }\n"
    "P0 @ cta 0 {\n"
    "  st.shared.v2.u32 [x], {1, 2};\n"
    "  mbarrier.arrive.shared.b64 %s0, [bar];\n"
    "W:\n"
    "  mbarrier.test_wait.shared.b64 %p0, [bar], %s0;\n"
    "  @!%p0 bra W;\n"
    "}\n"
    "P1 @ cta 0 {\n"
    "  mbarrier.arrive.shared.b64 %s0, [bar];\n"
    "W:\n"
    "  mbarrier.test_wait.shared.b64 %p0, [bar], %s0;\n"
    "  @!%p0 bra W;\n"
    "  ld.shared.u32 %r0, [x];\n"
    "  bar.sync 0;\n"
    "}\n"
    "P2 @ cta 0 {\n"
    "  bar.sync 0;\n"
    "  ld.shared.u32 %r0, [x];\n"
    "}\n"
    "forall (P1:%r0 == 1)\n",
    "PTX copies\n{ .shared .align 16 .u32 s[4] = {1, 2, 3, 4}; .global .align 16 .u32 g[4]; .shared .b64 bar "
    "= 1;\n"
    "  .shared .align 16 .u32 d[4]; }\n"
    "P0 @ cta 0 {\n"
    "  cp.async.bulk.global.shared::cta.bulk_group [g], [s], 16;\n"
    "  cp.async.bulk.commit_group;\n"
    "  cp.async.bulk.wait_group 0;\n"
    "  mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 16;\n"
    "  cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [d], [g], 16, [bar];\n"
    "W0:\n"
    "  mbarrier.try_wait.parity.shared::cta.b64 %p0, [bar], 0;\n"
    "  @!%p0 bra W0;\n"
    "  ld.shared.u32 %r0, [d];\n"
    "}\n"
    "exists (P0:%r0 == 1)\n",
};

}  // namespace

TEST_CASE("an instruction that does nothing, behind and before every other, changes no state") {
  for (const std::string& test : kTests) {
    const event::ProgramGraph graph = lowered(test);
    Hypothesis hypothesis;
    for (EventId e = 0; e < graph.size(); ++e) {
      if (graph.events[e].thread == event::kNoThread) continue;
      hypothesis.inserted.push_back(check::tensor_fence(e, true, event::TensorOp::after));
      hypothesis.inserted.push_back(check::tensor_fence(e, false, event::TensorOp::before));
    }
    const auto before = states(graph, event::compute_base(graph));
    CHECK(!before.empty());
    CHECK(states(graph, hypothesis) == before);
  }
}

TEST_CASE("an arrival and a wait that are put in order two threads") {
  const event::ProgramGraph graph = lowered(
      "PTX MP\n{ .shared .u32 x = 0; }\n"
      "P0 @ cta 0 {\n"
      "  st.shared.u32 [x], 1;\n"
      "}\n"
      "P1 @ cta 0 {\n"
      "  ld.shared.u32 %r0, [x];\n"
      "}\n"
      "forall (P1:%r0 == 1)\n");
  CHECK(states(graph, Hypothesis{}).size() == 2);
  const EventId store = at(graph, 4, EventKind::write), load = at(graph, 7, EventKind::read);
  Hypothesis hypothesis;
  hypothesis.inserted = {check::arrival(graph, store, Scope::cta, 1),
                         check::phase_wait(graph, load, Scope::cta, 1)};
  const auto ordered = states(graph, hypothesis);
  REQUIRE(ordered.size() == 1);
  CHECK(ordered.begin()->second);
  // Another object: nobody arrives there, and no execution gets by.
  hypothesis.inserted.back().object = 2;
  CHECK(states(graph, hypothesis).empty());
}

TEST_CASE("a wait that is there waits for another object instead") {
  const event::ProgramGraph graph = lowered(
      "PTX parity\n{ .shared .u32 x = 0; .shared .b64 bar = 1; }\n"
      "P0 @ cta 0 {\n"
      "  st.shared.u32 [x], 1;\n"
      "  mbarrier.arrive.shared::cta.b64 _, [bar];\n"
      "}\n"
      "P1 @ cta 0 {\n"
      "W0:\n"
      "  mbarrier.try_wait.parity.shared::cta.b64 %p0, [bar], 1;\n"
      "  @!%p0 bra W0;\n"
      "  ld.shared.u32 %r0, [x];\n"
      "}\n"
      "forall (P1:%r0 == 1)\n");
  CHECK(states(graph, Hypothesis{}).size() == 2);
  const EventId arrival = at(graph, 5, EventKind::arrival), wait = at(graph, 9, EventKind::wait);
  Hypothesis hypothesis;
  hypothesis.inserted = {check::arrival(graph, arrival, Scope::cta, 1),
                         check::phase_wait(graph, wait, Scope::cta, 1)};
  const auto ordered = states(graph, hypothesis);
  REQUIRE(ordered.size() == 1);
  CHECK(ordered.begin()->second);
}

TEST_CASE("an instruction that stands after another one instead") {
  const event::ProgramGraph graph = lowered(
      "PTX moved\n{ .shared .u32 x = 0; }\n"
      "P0 @ cta 0 {\n"
      "  ld.shared.u32 %r0, [x];\n"
      "  st.shared.u32 [x], 1;\n"
      "}\n"
      "forall (P0:%r0 == 0)\n");
  const auto before = states(graph, Hypothesis{});
  REQUIRE(before.size() == 1);
  CHECK(before.begin()->second);
  Hypothesis hypothesis;
  hypothesis.moved = {{at(graph, 4, EventKind::read), at(graph, 5, EventKind::write)}};
  const auto moved = states(graph, hypothesis);
  REQUIRE(moved.size() == 1);
  CHECK(!moved.begin()->second);
}

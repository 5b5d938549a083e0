// SPDX-License-Identifier: Apache-2.0
// Exchanges between lanes, and the registers that tell a thread's place.
#include <set>

#include "lowered.h"

using namespace ptxmc;
using namespace ptxmc::lower;
using event::EventKind;

namespace {

/// Threads of one warp, and what is asked.
std::string warp(const std::vector<std::string>& codes, const std::string& condition,
                 const std::string& place = "@ cta 0, warp 0") {
  std::string text = "PTX t\n{ .global .u32 x = 0; .global .u32 y = 0; }\n";
  for (std::size_t i = 0; i < codes.size(); ++i)
    text += "P" + std::to_string(i) + " " + place + " {\n" + codes[i] + "\n}\n";
  return text + condition + "\n";
}

const std::string kShown = "locations [P0:%r;] forall (true)";

}  // namespace

TEST_CASE("lanes are numbered in the order of the text, around those that name theirs") {
  const auto graph = lowered(
      "PTX t\n{ }\nP0 @ cta 0, warp 0 { }\nP1 @ cta 0, warp 0, lane 0 { }\nP2 @ cta 0, warp 0 { }\n"
      "P3 @ cta 0, warp 1 { }\nP4 @ cta 0, warp 2, lane 7 { }\nP5 @ cta 1, warp 0 { }\nforall (true)\n");
  CHECK(graph.threads[0].lanes == 2);
  CHECK(graph.threads[1].lanes == 1);
  CHECK(graph.threads[2].lanes == 4);
  CHECK(graph.threads[3].lanes == 0xffffffff);
  CHECK(graph.threads[4].lanes == 1 << 7);
  CHECK(graph.threads[5].lanes == 0xffffffff);
}

TEST_CASE("places that do not exist") {
  CHECK(fails_with("PTX t\n{ }\nP0 @ cta 0, lane 1 { }\nforall (true)\n", "names a lane, but no warp"));
  CHECK(fails_with(
      "PTX t\n{ }\nP0 @ cta 0, warp 0, lane 1 { }\nP1 @ cta 0, warp 0, lane 1 { }\nforall (true)\n",
      "two threads are lane 1"));
  std::string many = "PTX t\n{ }\n";
  for (int i = 0; i < 33; ++i) many += "P" + std::to_string(i) + " @ cta 0, warp 0 { }\n";
  CHECK(fails_with(many + "forall (true)\n", "more than 32 threads"));
}

TEST_CASE("an exchange is a barrier that is related to nothing") {
  const std::string code = "shfl.sync.idx.b32 %r, 7, 0, 31, 3;";
  const auto graph = lowered(warp({code, code}, kShown));
  CHECK(events_of(graph, EventKind::arrival).size() == 2);
  CHECK(events_of(graph, EventKind::wait).size() == 2);
  const auto phase = event::alternatives(graph, *event::base_signature().find("phase"), {}).values;
  REQUIRE(phase.size() == 1);
  CHECK(phase.front().empty());
  CHECK(folded(graph, "0:r") == 7);
}

TEST_CASE("a thread alone in its warp exchanges with itself, without events") {
  const auto graph = lowered(warp({"shfl.sync.up.b32 %r, 7, 1, 0, 0xffffffff;"}, kShown, "@ cta 0"));
  CHECK(events_of(graph, EventKind::arrival).empty());
  CHECK(folded(graph, "0:r") == 7);
  CHECK(folded(lowered(warp({"elect.sync %r|%p, 0xffffffff;"}, kShown, "@ cta 0")), "0:r") == 0);
  CHECK(folded(lowered(warp({"redux.sync.add.u32 %r, 3, 0xffffffff;"}, kShown, "@ cta 0")), "0:r") == 96);
}

TEST_CASE("results carry dependencies across lanes, and steer control flow") {
  const auto graph = lowered(
      warp({"ld.weak.global.u32 %a, [x]; setp.ne.u32 %p, %a, 0; vote.sync.any.pred %q, %p, 3; @%q bra END; "
            "bar.warp.sync 3; END: exit;",
            "setp.ne.u32 %p, 0, 0; vote.sync.any.pred %q, %p, 3; @%q st.weak.global.u32 [y], 2; @!%q "
            "bar.warp.sync 3;"},
           "forall (true)"));
  CHECK(graph.decisions.size() == 1);
  const auto values = event::compute_base(graph);
  CHECK(base(values, "dep")
            .test(events_of(graph, EventKind::read).at(0), events_of(graph, EventKind::write).at(0)));
}

TEST_CASE("behind a branch that values decide, partners differ by path") {
  const std::string code =
      "ld.weak.global.u32 %a, [x]; setp.ne.u32 %p, %a, 0; @%p exit; redux.sync.add.u32 %r, 5, 3;";
  const auto graph = lowered(warp({"redux.sync.add.u32 %r, 2, 3;", code}, kShown));
  const auto& result = observable(graph, "0:r").value;
  const auto with = [&](event::Value x) {
    return graph.exprs.evaluate(result, [&](const event::Node&) { return std::optional<event::Value>(x); });
  };
  CHECK(with(0) == 7);
  CHECK(with(1) == 2);
}

TEST_CASE("the leader is any member, the same for a mask each time") {
  const std::string code = "elect.sync %r|%p, 7; elect.sync %s|%q, 7;";
  const auto graph = lowered(warp({code, code, code}, "locations [P0:%r; P0:%s; P1:%r;] forall (true)"));
  CHECK(observable(graph, "0:r").value == observable(graph, "0:s").value);
  CHECK(observable(graph, "0:r").value == observable(graph, "1:r").value);
  std::set<event::Value> leaders;
  for (const event::Value choice :
       graph.events[graph.exprs.atoms(observable(graph, "0:r").value).at(0)].choices) {
    leaders.insert(*graph.exprs.evaluate(observable(graph, "0:r").value, [&](const event::Node&) {
      return std::optional<event::Value>(choice);
    }));
  }
  CHECK(leaders == std::set<event::Value>{0, 1, 2});
}

TEST_CASE("misuses: outside the membermask, and shuffles from lanes that are not there") {
  CHECK(lowered(warp({"bar.warp.sync 2;"}, "forall (true)", "@ cta 0, warp 0, lane 0")).misuses.size() == 1);
  CHECK(lowered(warp({"bar.warp.sync 2;"}, "forall (true)", "@ cta 0, warp 0, lane 1")).misuses.empty());
  CHECK(lowered(warp({"vote.sync.all.pred %q, %p, 0xffff;"}, "forall (true)", "@ cta 0")).misuses.size() ==
        1);
  CHECK(lowered(warp({"shfl.sync.idx.b32 %r, 1, 5, 31, 1;"}, kShown, "@ cta 0, warp 0, lane 0"))
            .misuses.size() == 1);
  CHECK(lowered(warp({"shfl.sync.idx.b32 %r, 1, 5, 0, 1;"}, kShown, "@ cta 0, warp 0, lane 0"))
            .misuses.empty());
}

TEST_CASE("what is refused") {
  const auto whole = [](const std::string& code) { return warp({code}, showing_r(code), "@ cta 0"); };
  CHECK(fails_with(whole("mov.u32 %r, %laneid;"), "stands for a whole warp"));
  CHECK(fails_with(whole("mov.u32 %r, %tid.x;"), "stands for a whole warp"));
  CHECK(fails_with(whole("mov.u32 %r, %warpid;"), "name its warp"));
  CHECK(fails_with("PTX t\n{ }\nP0 { mov.u32 %r, %ctaid.x; }\nforall (true)\n", "name its CTA"));
  CHECK(
      fails_with("PTX t\n{ }\nP0 @ host { mov.u32 %r, %cluster_ctarank; }\nforall (true)\n", "host thread"));
  CHECK(fails_with(whole("shfl.sync.up.b32 %r|%p, 1, 1, 0, 0xffffffff;"), "differs between the lanes"));
  CHECK_THROWS_AS(lowered(whole("match.any.sync.b32 %r|%p, 1, 0xffffffff;")), InputError);
  CHECK(fails_with(whole("ld.weak.global.u32 %m, [x]; bar.warp.sync %m;"), "a membermask that depends"));
  const std::string counted = "ld.weak.global.u32 %c, [x]; barrier.sync 0, %c;";
  CHECK(fails_with(warp({counted, counted}, "forall (true)"), "a thread count that is not constant"));
  CHECK(fails_with(
      "PTX t\n{ }\nP0 @ cta 0, warp 0 { bar.sync 0, 64; }\nP1 @ cta 0, warp 0 { bar.sync 0, 64; }\n"
      "P2 @ cta 0, warp 1 { bar.sync 0, 64; }\nforall (true)\n",
      "warps have different numbers of litmus threads"));
}

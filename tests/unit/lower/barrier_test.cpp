// SPDX-License-Identifier: Apache-2.0
// Barriers: operands, counts, ids from registers, reductions.
#include "lowered.h"

namespace ptxmc::lower {
namespace {

using event::EventKind;

/// Threads of one CTA in native columns.
std::string columns(const std::vector<std::string>& threads, const std::string& condition = "forall (true)") {
  std::string heads, codes;
  for (std::size_t t = 0; t < threads.size(); ++t) {
    heads += (t ? " | P" : " P") + std::to_string(t) + " @ cta 0";
    codes += "P" + std::to_string(t) + " @ cta 0 { " + threads[t] + " }\n";
  }
  return "PTX t\n{ .global .u32 x; .global .u32 y; }\n" + codes + condition + "\n";
}

std::size_t alternatives(const event::ProgramGraph& graph, const char* name) {
  std::size_t total = 0;
  for (const auto& path : paths_of(graph)) {
    total += event::alternatives(graph, *event::base_signature().find(name), path).values.size();
  }
  return total;
}

TEST_CASE("sync and red are an arrival and a wait, arrive is an arrival") {
  const auto graph = lowered(columns({"bar.sync 1; bar.arrive 2, 64; barrier.cta.red.popc.u32 %r, 3, %p;",
                                      "bar.sync 1;"
                                      "bar.sync 2, 64; barrier.red.popc.u32 %r, 3, %p;"}));
  const auto arrivals = events_of(graph, EventKind::arrival), waits = events_of(graph, EventKind::wait);
  CHECK(arrivals.size() == 6);
  CHECK(waits.size() == 5);
  CHECK(graph.events[arrivals[0]].barrier->wait == waits[0]);
  CHECK(graph.events[arrivals[1]].barrier->wait == event::kNoEvent);
  CHECK(!graph.events[arrivals[0]].barrier->count.has_value());
  CHECK(graph.exprs[*graph.events[arrivals[1]].barrier->count].constant == 2);
  CHECK(graph.exprs[graph.events[arrivals[1]].barrier->id].constant == 2);
  CHECK(graph.events[waits[0]].labels.scope == isa::Scope::cta);
  CHECK(alternatives(graph, "phase") == 1);
}

TEST_CASE("short form: instance, id, count in threads") {
  const auto graph = lowered(
      "PTX t\n{ x=0; }\n P0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;\n bar.cta.sync 7, 3, 2 | bar.cta.arrive 7, 3, 2 "
      ";\n"
      " bar.cta.sync 7 | bar.cta.sync 7 ;\nforall (true)\n");
  const auto& barrier = *graph.events[events_of(graph, EventKind::arrival)[0]].barrier;
  CHECK(barrier.instance_first);
  CHECK(barrier.instance == 7);
  CHECK(graph.exprs[barrier.id].constant == 3);
  CHECK(graph.exprs[*barrier.count].constant == 2);
  CHECK(alternatives(graph, "phase") == 1);
}

TEST_CASE("ids from registers: a decision for each pair that may be one barrier") {
  const auto graph = lowered(columns({"ld.weak.global.u32 %i, [x]; bar.sync %i, 64;", "bar.sync 1, 64;"}));
  REQUIRE(graph.decisions.size() == 1);
  CHECK(event::relevant_decisions(graph, *event::base_signature().find("phase")) ==
        std::vector<std::uint32_t>{0});
  CHECK(alternatives(graph, "phase") == 1);  // equal ids meet; others hang
  const auto constant = lowered(columns({"mov.u32 %i, 1; bar.sync %i, 64;", "bar.sync 1, 64;"}));
  CHECK(constant.decisions.empty());
}

TEST_CASE("counts from registers: by cases up to the number of arrivals") {
  const auto graph = lowered(columns({"ld.weak.global.u32 %n, [x]; bar.sync 0, %n;", "bar.sync 0, 64;"}));
  CHECK(graph.decisions.size() == 4);  // 32 and 64; of whole warps, and positive
  CHECK(event::relevant_decisions(graph, *event::base_signature().find("phase")).size() == 4);
  CHECK(alternatives(graph, "phase") >= 1);
}

TEST_CASE("a barrier under a predicate is a decision that phases depend on") {
  const auto graph = lowered(
      columns({"ld.weak.global.u32 %a, [x]; setp.eq.u32 %p, %a, 1; @%p bar.sync 0, 64;", "bar.sync 0, 64;"}));
  CHECK(event::relevant_decisions(graph, *event::base_signature().find("phase")) ==
        std::vector<std::uint32_t>{0});
  CHECK(alternatives(graph, "phase") == 1);
}

TEST_CASE("barrier.red combines the predicates of all participants") {
  const auto value_of = [](const std::string& op, const std::string& use, event::Value first,
                           event::Value second) {
    const std::string code =
        "ld.weak.global.u32 %a, [VAR]; setp.ne.u32 %p, %a, 0; barrier.red." + op + " 0, %p; " + use;
    std::string p0 = code, p1 = code;
    p0.replace(p0.find("VAR"), 3, "x");
    p1.replace(p1.find("VAR"), 3, "y");
    const auto graph = lowered(columns({p0, p1}, "locations [P0:%r; P1:%r;] forall (true)"));
    const auto reads = events_of(graph, EventKind::read);
    const auto read = [&](const event::Node& n) {
      return std::optional<event::Value>(n.atom == reads[0] ? first : second);
    };
    const auto r0 = graph.exprs.evaluate(observable(graph, "0:r").value, read);
    CHECK(r0 == graph.exprs.evaluate(observable(graph, "1:r").value, read));
    return r0;
  };
  CHECK(value_of("popc.u32 %r,", "", 5, 6) == 64);  // each stands for 32 threads
  CHECK(value_of("popc.u32 %r,", "", 5, 0) == 32);
  CHECK(value_of("and.pred %q,", "selp.u32 %r, 1, 0, %q;", 5, 0) == 0);
  CHECK(value_of("and.pred %q,", "selp.u32 %r, 1, 0, %q;", 5, 6) == 1);
  CHECK(value_of("or.pred %q,", "selp.u32 %r, 1, 0, %q;", 5, 0) == 1);
  CHECK(value_of("or.pred %q,", "selp.u32 %r, 1, 0, %q;", 0, 0) == 0);
}

TEST_CASE("the result of barrier.red carries dependencies across threads, and steers control flow") {
  const auto graph =
      lowered(columns({"ld.weak.global.u32 %a, [x]; setp.ne.u32 %p, %a, 0; barrier.red.or.pred %q, 0, %p; "
                       "@%q st.weak.global.u32 [y], 1;",
                       "setp.ne.u32 %p, 0, 0; barrier.red.or.pred %q, 0, %p; @%q bra END; st.weak.global.u32 "
                       "[y], 2; END: exit;"}));
  REQUIRE(graph.decisions.size() == 1);
  const auto writes = events_of(graph, EventKind::write);
  const auto read = events_of(graph, EventKind::read).at(0);
  const auto values = event::compute_base(graph);
  CHECK(base(values, "dep").test(read, writes.at(0)));
  CHECK(base(values, "dep").test(read, writes.at(1)));
  for (const auto& path : paths_of(graph)) {
    for (const auto w : writes) CHECK(event::evaluate_guard(graph, graph.events[w].guard, path).has_value());
  }
}

TEST_CASE("a later reduction may depend on an earlier one") {
  const std::string code =
      "barrier.red.popc.u32 %a, 0, %p; setp.eq.u32 %q, %a, 0; barrier.red.popc.u32 %r, 0, %q;";
  const auto graph = lowered(columns({code, code}, "locations [P0:%r;] forall (true)"));
  CHECK(folded(graph, "0:r") == 64);
}

TEST_CASE("loops that barrier.red decides: all threads leave in one turn") {
  const std::string turn =
      "ld.relaxed.gpu.global.u32 %a, [x]; setp.eq.u32 %p, %a, 0; barrier.red.or.pred %q, 0, %p; "
      "@%q bra L;";
  const std::string text = "PTX t\n{ .global .u32 x; }\nP0 @ cta 0 { L: " + turn +
                           " }\nP1 @ cta 0 { L: " + turn + " bar.sync 0; }\nforall (true)\n";
  for (const bool paths_alone : {false, true}) {
    CAPTURE(paths_alone);
    Options options;
    options.paths_alone = paths_alone;
    const auto graph = lowered(text, options);
    for (event::EventId e = 0; e < graph.size();
         ++e) {  // results are gone, and with them what is not decided
      for (const event::EventId named : graph.exprs.atoms(graph.events[e].guard))
        CHECK(graph.events[named].is_read());
    }
  }
}

TEST_CASE("barrier.red and another operation: in one phase only if the ways say so") {
  const std::string red = "setp.eq.u32 %p, 0, 0; barrier.red.or.pred %q, 0, %p; ";
  const std::string both = red + "@!%q bra E; barrier.sync 0; E: barrier.red.popc.u32 %r, 0, %p;";
  const auto graph = lowered("PTX t\n{ }\nP0 @ cta 0 { " + both + " }\nP1 @ cta 0 { " + both +
                             " }\nlocations [P0:%r;] forall (true)\n");
  CHECK(folded(graph, "0:r") == 64);
  CHECK(error_of("PTX t\n{ }\nP0 @ cta 0 { " + red + " }\nP1 @ cta 0 { barrier.sync 0; }\nforall (true)\n")
            .empty());
}

TEST_CASE("bar.warp.sync: the threads of one warp of one CTA, and no bar.sync") {
  const auto graph = lowered(
      "PTX t\n{ x=0; }\n"
      "P0 @ cta 0, warp 1 { bar.warp.sync 0xffffffff; bar.sync 0; }\n"
      "P1 @ cta 0, warp 1 { bar.warp.sync -1; bar.sync 0; }\n"
      "P2 @ cta 0, warp 2 { bar.warp.sync -1; bar.sync 0; }\n"
      "P3 @ cta 1, warp 1 { bar.warp.sync -1; }\nforall (true)\n");
  const auto arrivals = events_of(graph, EventKind::arrival), waits = events_of(graph, EventKind::wait);
  REQUIRE(arrivals.size() == 7);
  CHECK(graph.events[arrivals[0]].barrier->warp);
  CHECK_FALSE(graph.events[arrivals[1]].barrier->warp);
  const auto phases =
      event::alternatives(graph, *event::base_signature().find("phase"), event::Assignment{}).values;
  REQUIRE(phases.size() == 1);
  CHECK(phases[0].test(arrivals[0], waits[2]));
  CHECK(phases[0].test(arrivals[2], waits[0]));
  CHECK(phases[0].test(arrivals[1], waits[3]));
  CHECK(phases[0].test(arrivals[1], waits[5]));
  CHECK(phases[0].test(arrivals[4], waits[4]));
  CHECK(phases[0].count() == 4 + 9 + 1 + 1);  // warp 1, the CTA, warp 2, the other CTA's warp
}

TEST_CASE("bar.warp.sync: a thread that names no warp is alone in its own") {
  const auto graph = lowered(columns({"bar.warp.sync -1;", "bar.warp.sync -1;"}));
  const auto phases =
      event::alternatives(graph, *event::base_signature().find("phase"), event::Assignment{}).values;
  REQUIRE(phases.size() == 1);
  CHECK(phases[0].count() == 2);
}

TEST_CASE("errors about barriers") {
  const auto error = [](const std::vector<std::string>& threads, const char* part) {
    CHECK_MESSAGE(fails_with(columns(threads), part), threads[0]);
  };
  error({"bar.sync 16;"}, "expected 0 to 15");
  error({"bar.sync 0, 33;"}, "multiple of the warp size");
  error({"bar.sync 0, 0;"}, "must be positive");
  error({"ld.weak.global.u32 %a, [x]; bar.warp.sync %a;"}, "membermask");
}

}  // namespace
}  // namespace ptxmc::lower

// SPDX-License-Identifier: Apache-2.0
// Control flow: branches, merging, loops and their bound, spin loops.
#include <set>

#include "lowered.h"

namespace ptxmc::lower {
namespace {

using event::EventKind;

const std::string kDeclarations = ".global .u32 x; .global .u32 y;";

event::ProgramGraph graph_of(const std::string& code, int unroll = 2) {
  Options options;
  options.unroll = unroll;
  return lowered(one_thread(kDeclarations, code, showing_r(code)), options);
}

std::size_t count(const event::ProgramGraph& graph, EventKind kind) {
  return events_of(graph, kind).size();
}

/// The final %r when every read returns `value`.
std::optional<event::Value> final_r(const event::ProgramGraph& graph, event::Value value) {
  return graph.exprs.evaluate(observable(graph, "0:r").value,
                              [&](const auto&) { return std::optional<event::Value>(value); });
}

bool dependent(const event::ProgramGraph& graph, std::size_t read, std::size_t write) {
  return base(event::compute_base(graph), "dep")
      .test(events_of(graph, EventKind::read).at(read), events_of(graph, EventKind::write).at(write));
}

TEST_CASE("a diamond: one decision, guards on both sides, none after the join") {
  const auto graph = graph_of(
      "ld.global.u32 %a, [x]; setp.eq.u32 %p, %a, 1; @%p bra THEN;"
      "st.global.u32 [y], 1; mov.u32 %r, 10; bra JOIN; THEN: st.global.u32 [y], 2; mov.u32 %r, 20;"
      "JOIN: st.global.u32 [x], 3;");
  REQUIRE(graph.decisions.size() == 1);
  const auto writes = events_of(graph, EventKind::write);
  REQUIRE(writes.size() == 3);
  auto pool = graph.exprs;
  CHECK(graph.events[writes[0]].guard == pool.negation(graph.decisions[0].condition));
  CHECK(graph.events[writes[1]].guard == graph.decisions[0].condition);
  CHECK(pool.is_true(graph.events[writes[2]].guard));
  CHECK(final_r(graph, 1) == 20);
  CHECK(final_r(graph, 0) == 10);
  CHECK(dependent(graph, 0, 0));
  CHECK(!dependent(graph, 0, 2));
  CHECK(!base(event::compute_base(graph), "po").test(writes[0], writes[1]));
}

TEST_CASE("a decision about a read is taken where the read exists") {
  const auto graph = graph_of(
      "ld.global.u32 %a, [x]; setp.ne.u32 %p, 0, 0; setp.eq.u32 %q, %a, 1; @%q bra JOIN;"
      "ld.global.u32 %r, [y]; setp.eq.u32 %p, %r, 5; JOIN: @%p st.global.u32 [x], 3;");
  REQUIRE(graph.decisions.size() == 2);
  const auto& inner = graph.events[events_of(graph, EventKind::read).at(1)];
  auto pool = graph.exprs;
  CHECK(inner.guard == pool.negation(graph.decisions[0].condition));
  CHECK(graph.decisions[1].guard == inner.guard);
  const auto guard = graph.events[events_of(graph, EventKind::write).at(0)].guard;
  CHECK(guard == pool.conjunction(inner.guard, graph.decisions[1].condition));
  CHECK(event::enumerate_assignments(graph, 100)->size() == 3);
}

TEST_CASE(
    "what a choice does not take need not exist: a decision about a merged register has no further guard") {
  const auto graph = graph_of(
      "ld.global.u32 %a, [x]; mov.u32 %r, 7; setp.eq.u32 %q, %a, 1; @%q bra JOIN; ld.global.u32 %r, [y];"
      "JOIN: setp.lt.u32 %p, %r, 5; @%p st.global.u32 [x], 3;");
  REQUIRE(graph.decisions.size() == 2);
  CHECK(graph.exprs.is_true(graph.decisions[1].guard));
  CHECK(event::enumerate_assignments(graph, 100)->size() == 4);
}

TEST_CASE("a merged register depends on its own branch only") {
  // inner branch on b under outer branch on a: after the inner join, %r depends on b, not on a
  const auto graph = graph_of(
      "ld.global.u32 %a, [x]; ld.global.u32 %b, [y]; setp.eq.u32 %p, %a, 0; @%p bra END;"
      "mov.u32 %r, 1; setp.eq.u32 %q, %b, 0; @%q bra SKIP; mov.u32 %r, 2; SKIP:"
      "st.global.u32 [y], %r; END: exit;");
  const auto write = events_of(graph, EventKind::write).at(0);
  CHECK(graph.exprs.atoms(graph.events[write].value) ==
        std::vector<event::EventId>{events_of(graph, EventKind::read)[1]});
}

TEST_CASE("constant branches leave one path") {
  const auto graph = graph_of(
      "mov.u32 %r, 1; bra OVER; mov.u32 %r, 2; OVER: setp.eq.u32 %p, %r, 1; @%p exit;"
      "st.global.u32 [x], 1;");
  CHECK(graph.decisions.empty());
  CHECK(count(graph, EventKind::write) == 0);
  CHECK(folded(graph, "0:r") == 1);
}

TEST_CASE("exit under a predicate ends the thread for some paths") {
  const auto graph = graph_of(
      "ld.global.u32 %a, [x]; setp.eq.u32 %p, %a, 1; mov.u32 %r, 1; @%p exit; mov.u32 %r, 2;"
      "st.global.u32 [y], 1; ret;");
  CHECK(final_r(graph, 1) == 1);
  CHECK(final_r(graph, 0) == 2);
  CHECK(dependent(graph, 0, 0));
}

TEST_CASE("the same test twice is one decision") {
  const auto graph = graph_of(
      "ld.global.u32 %a, [x]; setp.eq.u32 %p, %a, 1; @%p st.global.u32 [y], 1; setp.ne.u32 %q, %a, 1;"
      "@!%q st.global.u32 [y], 2; @%q st.global.u32 [y], 3;");
  CHECK(graph.decisions.size() == 1);
  CHECK(paths_of(graph).size() == 2);
}

TEST_CASE("compound predicates are decided leaf by leaf, so that guards can be evaluated") {
  const auto graph = graph_of(
      "ld.global.u32 %a, [x]; ld.global.u32 %b, [y]; setp.eq.u32 %p, %a, 1; setp.gt.or.u32 %q, %b, 2, %p;"
      "@%q st.global.u32 [y], 1;");
  CHECK(graph.decisions.size() == 2);
  const auto guard = graph.events[events_of(graph, EventKind::write)[0]].guard;
  for (const auto& path : paths_of(graph)) {
    CHECK(event::evaluate_guard(graph, guard, path).has_value());
  }
}

TEST_CASE("short forms: labels, goto and compare-and-branch") {
  const auto graph = lowered(
      "PTX t\n{ x=0; P0:r1=3; }\n P0@cta 0,gpu 0 ;\n bgt r1, 2, LC00 ;\n st.weak x, 1 ;\n LC00: ;\n"
      " blt r1, 3, LC01 ;\n st.weak x, 2 ;\n bge r1, 4, LC01 ;\n ble r1, 2, LC01 ;\n bne r1, 3, LC01 ;\n"
      " beq r1, 4, LC01 ;\n goto LC02 ;\n LC01: ;\n st.weak x, 3 ;\n LC02: ;\nforall (true)\n");
  const auto writes = events_of(graph, EventKind::write);
  REQUIRE(writes.size() == 1);
  CHECK(graph.exprs[graph.events[writes[0]].value].constant == 2);
}

// ---- Loops ----

std::string count_to(const std::string& bound) {
  return "mov.u32 %r, 0; L: add.u32 %r, %r, 1; st.global.u32 [x], %r; setp.lt.u32 %p, %r, " + bound +
         "; @%p bra L;";
}

TEST_CASE("a loop of constant length runs to its end whatever the bound") {
  const auto graph = graph_of(count_to("100"), 1);
  CHECK(!graph.cut);
  CHECK(graph.assumptions.empty());
  CHECK(graph.decisions.empty());
  CHECK(count(graph, EventKind::write) == 100);
  CHECK(folded(graph, "0:r") == 100);
}

TEST_CASE("a constant loop without end is cut") {
  const auto graph = graph_of("L: add.u32 %r, %r, 1; bra L;");
  CHECK(graph.cut);
  REQUIRE(graph.assumptions.size() == 1);
  CHECK(graph.exprs.is_false(graph.assumptions[0]));
}

TEST_CASE("other loops are entered as often as the bound says") {
  const std::string code =
      "st.global.u32 [y], 9; ld.global.u32 %n, [y]; mov.u32 %r, 0; L: add.u32 %r, %r, 1; st.global.u32 [x], "
      "%r;"
      "setp.lt.u32 %p, %r, %n; @%p bra L;";
  for (int unroll = 1; unroll <= 4; ++unroll) {
    const auto graph = graph_of(code, unroll);
    CHECK(graph.cut);
    CHECK(count(graph, EventKind::write) == 1 + static_cast<std::size_t>(unroll));
    CHECK(graph.assumptions.size() == 1);
    CHECK(graph.decisions.size() == static_cast<std::size_t>(unroll));
    CHECK(final_r(graph, 1) == 1);
    if (unroll >= 3) CHECK(final_r(graph, 3) == 3);
    const auto holds = graph.exprs.evaluate(graph.assumptions[0],
                                            [&](const auto&) { return std::optional<event::Value>(unroll); });
    const auto fails = graph.exprs.evaluate(
        graph.assumptions[0], [&](const auto&) { return std::optional<event::Value>(unroll + 1); });
    CHECK(holds == 1);
    CHECK(fails == 0);
  }
}

TEST_CASE("nested loops: the inner bound counts per entry") {
  const auto graph = graph_of(
      "mov.u32 %i, 0; OUTER: mov.u32 %j, 0; INNER: st.global.u32 [x], %j; add.u32 %j, %j, 1;"
      "setp.lt.u32 %p, %j, 3; @%p bra INNER; add.u32 %i, %i, 1; setp.lt.u32 %p, %i, 4; @%p bra OUTER;",
      1);
  CHECK(count(graph, EventKind::write) == 12);
  CHECK(!graph.cut);
}

TEST_CASE("overlapping loops and jumps into the middle end") {
  const auto graph = graph_of(
      "ld.global.u32 %a, [x]; setp.eq.u32 %p, %a, 0; @%p bra MID; TOP: st.global.u32 [y], 1; MID: "
      "st.global.u32 [y], 2;"
      "ld.global.u32 %b, [x]; setp.eq.u32 %q, %b, 0; @%q bra TOP; st.global.u32 [y], 3; setp.eq.u32 %q, %b, "
      "1; @%q bra MID;");
  CHECK(graph.cut);
  CHECK(event::enumerate_assignments(graph, 1000).has_value());
}

TEST_CASE("test-and-set by exchange waits where the cell has no third value, and is unrolled where it has") {
  const std::string lock = "L: atom.exch.b32 %r, [x], 1; setp.ne.u32 %p, %r, 0; @%p bra L;";
  const auto graph = graph_of(lock + " st.release.gpu.global.u32 [x], 0;");
  CHECK(!graph.cut);
  CHECK(count(graph, EventKind::read) == 1);
  const auto other = graph_of(lock + " st.release.gpu.global.u32 [x], 2;");
  CHECK(other.cut);
  CHECK(count(other, EventKind::read) == 2);
}

// ---- Spin loops ----

const char* const kSpins[] = {
    "L: ld.acquire.gpu.global.u32 %r, [x]; setp.ne.u32 %p, %r, 1; @%p bra L; st.global.u32 [y], 1;",
    "L: ld.acquire.gpu.global.u32 %r, [x]; setp.eq.u32 %p, %r, 1; @!%p bra L; st.global.u32 [y], 1;",
    "L: ld.acquire.gpu.global.u32 %r, [x]; setp.eq.u32 %p, %r, 1; @%p bra E; bra L; E: st.global.u32 [y], 1;",
    R"(L: ld.relaxed.gpu.global.u32 %r, [x]; fence.acq_rel.gpu; and.b32 %b, %r, 1;
       setp.eq.u32 %p, %b, 0; @%p bra L; st.global.u32 [y], 1;)",
    R"(L: ld.relaxed.gpu.global.u32 %a, [x]; ld.relaxed.gpu.global.u32 %r, [x];
       setp.ne.u32 %p, %r, %a; @%p bra L; st.global.u32 [y], 1;)",
    R"(mov.u32 %v, 1; L: ld.relaxed.gpu.global.u32 %r, [x];
       setp.ne.u32 %p, %r, %v; @%p bra L; st.global.u32 [y], 1;)",
};

TEST_CASE(
    "a spin loop is one constrained turn: no decision, no cut, and what is behind it depends on its reads") {
  for (const char* code : kSpins) {
    const auto graph = graph_of(code);
    INFO(code);
    CHECK(!graph.cut);
    CHECK(graph.decisions.empty());
    CHECK(graph.assumptions.size() == 1);
    CHECK(dependent(graph, 0, 0));
    const auto holds = graph.exprs.evaluate(graph.assumptions[0],
                                            [](const auto&) { return std::optional<event::Value>(1); });
    CHECK(holds == 1);
  }
}

TEST_CASE("a spin loop's assumption is its exit condition") {
  const auto graph = graph_of(kSpins[0]);
  const auto at = [&](event::Value v) {
    return graph.exprs.evaluate(graph.assumptions[0],
                                [&](const auto&) { return std::optional<event::Value>(v); });
  };
  CHECK(at(1) == 1);
  CHECK(at(0) == 0);
}

TEST_CASE("short-form spin loops") {
  for (const std::string loop :
       {"LC00: ;\n ld.acquire.gpu r1, x ;\n bne r1, 1, LC00 ;\n",
        "LC00: ;\n ld.acquire.gpu r1, x ;\n beq r1, r2, LC01 ;\n goto LC00 ;\n LC01: ;\n",
        "LC00: ;\n atom.acquire.gpu.cas r1, x, 1, 2 ;\n bne r1, 1, LC00 ;\n"}) {
    const auto graph =
        lowered("PTX t\n{ x=0; P0:r2=1; }\n P0@cta 0,gpu 0 ;\n " + loop + " st.weak x, 5 ;\nforall (true)\n");
    INFO(loop);
    CHECK(!graph.cut);
    CHECK(graph.decisions.empty());
    CHECK(graph.assumptions.size() == 1);
  }
}

TEST_CASE("a cas spin: the last turn succeeds, so its write exists without a decision") {
  for (const std::string code :
       {"L: atom.acquire.gpu.global.cas.b32 %r, [x], 0, 1; setp.ne.u32 %p, %r, 0; @%p bra L;",
        "L: atom.acquire.gpu.global.cas.b32 %r, [x], 0, 1; setp.eq.u32 %p, %r, 0; @%p bra E; bra L; E: "
        "exit;"}) {
    const auto graph = graph_of(code);
    CHECK(graph.decisions.empty());
    CHECK(graph.assumptions.size() == 1);
    REQUIRE(count(graph, EventKind::write) == 1);
    CHECK(graph.exprs.is_true(graph.events[events_of(graph, EventKind::write)[0]].guard));
  }
}

TEST_CASE("a cas loop that goes on after success is unrolled") {
  const auto graph =
      graph_of("L: atom.acquire.gpu.global.cas.b32 %r, [x], 0, 1; setp.ne.u32 %p, %r, 7; @%p bra L;");
  CHECK(graph.cut);
  CHECK(count(graph, EventKind::read) == 2);
}

const char* const kNoSpins[] = {
    // a store in the loop
    "L: ld.global.u32 %r, [x]; st.global.u32 [y], 1; setp.ne.u32 %p, %r, 1; @%p bra L;",
    // a register carried from turn to turn, which is read behind the loop
    "L: ld.global.u32 %r, [x]; add.u32 %n, %n, 1; setp.ne.u32 %p, %r, 1; @%p bra L; st.global.u32 [y], %n;",
    // entered in the middle
    R"(ld.global.u32 %z, [x]; setp.eq.u32 %p, %z, 0; @%p bra M; L: ld.global.u32 %r, [x];
       M: setp.ne.u32 %p, %r, 1; @%p bra L;)",
    // a barrier in the loop
    "L: ld.global.u32 %r, [x]; bar.sync 0; setp.ne.u32 %p, %r, 1; @%p bra L;",
};

TEST_CASE("what is no pure spin loop is unrolled and cut") {
  for (const char* code : kNoSpins) {
    INFO(code);
    CHECK(graph_of(code).cut);
  }
}

TEST_CASE("turns that turn out to change nothing are left out") {
  // a load under a predicate: the first turn may be one of them
  const auto one = graph_of(
      "L: ld.relaxed.gpu.u32 %r, [x]; setp.ne.u32 %p, %r, 1; @%p ld.relaxed.gpu.u32 %s, [y]; @%p bra L;");
  CHECK_FALSE(one.cut);
  CHECK(count(one, EventKind::read) == 2);
  // a register written after the exit, and read behind it: the second
  const auto two = graph_of(
      "L: ld.relaxed.gpu.u32 %r, [x]; setp.eq.u32 %p, %r, 1; @%p bra E; mov.u32 %s, 1; bra L;\n"
      "E: st.global.u32 [y], %s;");
  CHECK_FALSE(two.cut);
  CHECK(count(two, EventKind::read) == 2);
  // a critical section in the turn that succeeds, by an exchange: 1 is what the lock was
  const std::string section =
      "L: atom.acquire.gpu.global.exch.b32 %r, [x], 1; setp.ne.u32 %p, %r, 0; @%p bra N;\n"
      "st.global.u32 [y], 1; st.release.gpu.global.u32 [x], 0; N: setp.ne.u32 %q, %r, 0; @%q bra L;";
  const auto lock = graph_of(section);
  CHECK_FALSE(lock.cut);
  // an address that rests on what was read: what a turn races with, the next one need not show
  CHECK(lowered(one_thread(".global .u32 y; .global .u32 x; .global .u64 q = y;",
                           ".reg .u64 %a; .reg .u32 %r, %s; .reg .pred %p;\nL: ld.relaxed.gpu.u64 %a, [q]; "
                           "ld.relaxed.gpu.u32 %r, [x]; setp.ne.u32 %p, %r, 1; @%p ld.relaxed.gpu.u32 %s, "
                           "[%a]; @%p bra L;",
                           "exists (y == 1)"))
            .cut);
  // an atomic that changes the cell
  CHECK(graph_of("L: atom.relaxed.gpu.global.add.u32 %r, [x], 1; setp.ne.u32 %p, %r, 9; @%p "
                 "ld.relaxed.gpu.u32 %s, [y]; "
                 "@%p bra L;")
            .cut);
}

TEST_CASE("a loop whose turns begin as the first did, and only read, is one turn") {
  const std::string exits =
      "L: ld.global.u32 %r, [x]; setp.eq.u32 %p, %r, 1; @%p bra E; setp.eq.u32 %q, %r, 2; @%q bra F; bra L; "
      "E: exit; F: "
      "exit;";
  const auto graph = graph_of(exits);
  CHECK(!graph.cut);
  CHECK(count(graph, EventKind::read) == 1);
}

TEST_CASE("a spin loop within a loop, and under a guard") {
  const auto graph = graph_of(
      "ld.global.u32 %n, [y]; setp.eq.u32 %q, %n, 0; @%q bra END;"
      "L: ld.acquire.gpu.global.u32 %r, [x]; setp.ne.u32 %p, %r, 1; @%p bra L; END: exit;");
  REQUIRE(graph.decisions.size() == 1);
  REQUIRE(graph.assumptions.size() == 1);
  const auto reads = events_of(graph, EventKind::read);
  const auto when = [&](event::Value n, event::Value r) {
    return graph.exprs.evaluate(graph.assumptions[0], [&](const event::Node& node) {
      return std::optional<event::Value>(node.atom == reads[0] ? n : r);
    });
  };
  CHECK(when(0, 0) == 1);  // not reached
  CHECK(when(5, 0) == 0);
  CHECK(when(5, 1) == 1);

  const auto twice = graph_of(
      "mov.u32 %i, 0; OUTER: L: ld.acquire.gpu.global.u32 %r, [x]; setp.ne.u32 %p, %r, %i; @%p bra L;"
      "st.global.u32 [y], %i; add.u32 %i, %i, 1; setp.lt.u32 %q, %i, 3; @%q bra OUTER;",
      1);
  CHECK(count(twice, EventKind::write) == 3);
}

TEST_CASE("errors of control flow, and limits") {
  const auto lines = [](int n, const std::string& line) {
    std::string text;
    for (int i = 0; i < n; ++i) text += line + "\n";
    return text;
  };
  CHECK(fails_with(one_thread(kDeclarations, "st.global.u32 [x], 1;" + lines(5000, "st.global.u32 [x], 1;"),
                              "forall (true)"),
                   "events after unrolling"));
  CHECK(fails_with(one_thread(kDeclarations,
                              "mov.u32 %i, 0; L: " + lines(30, "add.u32 %j, %j, 1;") +
                                  "add.u32 %i, %i, 1; setp.lt.u32 %p, %i, 1000; @%p bra L;",
                              "forall (true)"),
                   "instructions after unrolling"));
  CHECK(fails_with(
      one_thread(kDeclarations,
                 lines(2100, "ld.global.u32 %r, [x]; setp.eq.u32 %p, %r, 1; @%p bra E;") + "E: exit;",
                 "forall (true)"),
      "decisions after unrolling"));
}

}  // namespace
}  // namespace ptxmc::lower

// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/lower/unit/body_analysis.h"

#include "lowered.h"

namespace ptxmc::lower {
namespace {

program::Program program_of(const std::string& text) {
  return litmus::parse(std::make_shared<Source>(Source{"test.litmus", text}));
}

const std::string kLanes =
    "PTX lanes\n{ .global .u32 x; P1:%r5 = 7; }\nP0 @ cta 0, threads 2 {\n"
    "again:\n  ld.relaxed.gpu.u32 %r0, [x];\n  setp.eq.u32 %p0, %r0, 0;\n  @%p0 bra again;\n"
    "  mov.u32 %r1, %r0;\n}\n";

}  // namespace

TEST_CASE("threads that run one body share its analysis") {
  const program::Program program = program_of(kLanes + "forall (P0:%r1 == P1:%r1)\n");
  REQUIRE(program.threads.size() == 2);
  const Errors errors(program.source);
  BodyAnalyses bodies(program, errors);
  const BodyAnalysis& body = bodies.of(program.threads[0]);
  CHECK(&body == &bodies.of(program.threads[1]));
  CHECK(body.loops().size() == 1);
  CHECK(body.loops().front().spin.has_value());
  CHECK(body.enclosing(3).empty());
  CHECK(body.always_executed(3));
  CHECK_FALSE(body.always_executed(0));
  CHECK(body.has(isa::Opcode::ld));
  CHECK_FALSE(body.has(isa::Opcode::st));
}

TEST_CASE("registers of the code and of initial states have an index, in the order of their names") {
  const program::Program program = program_of(kLanes + "forall (P1:%r5 == 7)\n");
  const Errors errors(program.source);
  BodyAnalyses bodies(program, errors);
  const BodyAnalysis& body = bodies.of(program.threads[0]);
  CHECK(body.registers() == std::vector<std::string>{"p0", "r0", "r1", "r5"});
  CHECK(body.index("r5") == 3);
  CHECK_FALSE(body.declared(3).has_value());
}

TEST_CASE("what a loop counts, and towards what") {
  const auto counters = [](const std::string& step, const std::string& compare,
                           const std::string& inside = "") {
    const program::Program program = program_of(
        "PTX loop\n{ .global .u32 x; }\nP0 @ cta 0 {\n.reg .u32 %i, %n, %r;\n.reg .pred %p, %q;\nmov.u32 %n, "
        "5;\n"
        "again:\nld.relaxed.gpu.u32 %r, [x];\nsetp.ne.u32 %p, %r, 0;\n@%p bra done;\n" +
        inside + step + ";\nsetp.lt.u32 %q, " + compare + ";\n@%q bra again;\ndone:\n}\nexists (x == 1)\n");
    const Errors errors(program.source);
    BodyAnalyses bodies(program, errors);
    return bodies.of(program.threads[0]).counters(0);
  };
  REQUIRE(counters("add.u32 %i, %i, 1", "%i, 5").size() == 1);
  CHECK(counters("add.u32 %i, %i, 1", "%i, 5").front().name == "i");
  CHECK(std::get<std::int64_t>(counters("add.u32 %i, %i, 1", "%i, 5").front().limit) == 5);
  CHECK(std::get<std::string>(counters("sub.u32 %i, %i, 1", "%n, %i").front().limit) == "n");
  CHECK(counters("add.u32 %i, %i, 0", "%i, 5").empty());
  CHECK(counters("add.u32 %i, %r, 1", "%i, 5").empty());
  CHECK(counters("add.u32 %i, %i, 1", "%r, 5").empty());
  CHECK(counters("add.u32 %i, %i, 1", "%i, %n", "mov.u32 %n, %r;\n").empty());
  CHECK(counters("add.u32 %i, %i, 1", "%i, 5", "mov.u32 %i, %r;\n").empty());
  CHECK(counters("@%p add.u32 %i, %i, 1", "%i, 5").empty());
}

TEST_CASE("registers that are read later are live") {
  const program::Program program = program_of(kLanes + "forall (P0:%r1 == 0)\n");
  const Errors errors(program.source);
  BodyAnalyses bodies(program, errors);
  const BodyAnalysis& body = bodies.of(program.threads[0]);
  const auto live = [&](std::size_t at, const char* name) { return body.live(at)[body.index(name)] != 0; };
  CHECK_FALSE(live(0, "r0"));
  CHECK(live(1, "r0"));
  CHECK(live(2, "p0"));
  CHECK(live(3, "r0"));
  CHECK_FALSE(live(4, "r1"));
}

TEST_CASE("loops that only wait, and loops that retry") {
  const auto loop_of = [](const std::string& body) {
    const program::Program program = program_of(
        "PTX loops\n{ .global .u32 x; .global .u32 y; }\nP0 {\n  .reg .u32 %r<8>;\n  .reg .u64 %rd;\n"
        "  .reg .pred %p<4>;\n" +
        body + "}\nforall (P0:%r7 == 0)\n");
    const Errors errors(program.source);
    BodyAnalyses bodies(program, errors);
    return bodies.of(program.threads[0]).loops().front();
  };
  const std::string poll = "ld.acquire.gpu.global.u32 %r0, [x]; setp.eq.u32 %p0, %r0, 0; @%p0 bra L;\n";
  CHECK(loop_of("L: " + poll).spin.has_value());
  const std::string back_off = "@%p1 nanosleep.u32 %r1; add.u32 %r1, %r1, %r1; setp.lt.u32 %p1, %r1, 256;\n";
  const auto waits = loop_of("L: " + back_off + poll);
  REQUIRE(waits.spin.has_value());
  CHECK(waits.spin->turn.size() == 2);  // the poll
  CHECK_FALSE(
      loop_of("L: " + back_off + poll + "st.global.u32 [y], %r1;\n").spin.has_value());  // read behind it
  CHECK_FALSE(loop_of("L: add.u32 %r7, %r7, 1;\n" + poll).spin.has_value());             // observed
  CHECK_FALSE(loop_of("L: add.u32 %r1, %r1, 1; st.global.u32 [y], 1;\n" + poll).spin.has_value());
  CHECK_FALSE(
      loop_of("L: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 9; @%p1 bra M; fence.sc.gpu;\nM: " + poll)
          .spin.has_value());  // only some turns have the fence
  CHECK_FALSE(loop_of("L: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 9; @%p1 bra E;\n" + poll + "E:\n")
                  .spin.has_value());  // two exits
  CHECK(
      loop_of("L: atom.global.add.u32 %r0, [x], 0; setp.eq.u32 %p0, %r0, 0; @%p0 bra L;\n").spin.has_value());
  const std::string cas = "add.u32 %r2, %r1, 1; atom.global.cas.b32 %r0, [x], %r1, %r2;\n";
  const std::string fails = "setp.ne.u32 %p0, %r0, %r1; mov.u32 %r1, %r0; @%p0 bra L;\n";
  CHECK(loop_of("L: " + cas + fails).retries);
  CHECK_FALSE(loop_of("L: add.u32 %r3, %r3, 1; " + cas + fails).retries);  // counts
  CHECK_FALSE(loop_of("L: " + cas + "setp.ne.u32 %p0, %r0, %r2; mov.u32 %r1, %r0; @%p0 bra L;\n").retries);
  CHECK_FALSE(loop_of("L: st.global.u32 [y], 1; " + cas + fails).retries);
}

}  // namespace ptxmc::lower

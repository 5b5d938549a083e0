// SPDX-License-Identifier: Apache-2.0
// mbarriers, asynchronous copies and matrices: the bytes that they move, and what they refuse.
#include "ran.h"

namespace ptxmc::exec {
namespace {

const char* const kSharedCopy = ".shared .align 128 .b8 s[1024];\n.shared .align 8 .b64 m;\n";

/// Thread 0 initialises the object, and everybody sees it.
std::string behind_init(const std::string& count, const std::string& body) {
  return "mov.u32 %r10, m; mov.u32 %r11, s; setp.ne.u32 %p8, %r1, 0; @%p8 bra READY; "
         "mbarrier.init.shared.b64 [%r10], " +
         count + ";\nREADY: bar.sync 0;\n" + body;
}

bool decides(const Ran& ran, exec::Sources sources) {
  for (const Decision& decision : ran.outcome.decisions) {
    if (decision.what == Decided::control && (decision.sources & sources) != 0) return true;
  }
  return false;
}

TEST_CASE("a phase is complete when all have arrived") {
  const Ran ran(behind_init("64",
                            "shl.b32 %r4, %r1, 2; add.u32 %r4, %r11, %r4; st.shared.u32 [%r4], %r1;\n"
                            "mbarrier.arrive.shared.b64 %rd4, [%r10];\n"
                            "WAIT: mbarrier.try_wait.shared.b64 %p1, [%r10], %rd4; @!%p1 bra WAIT;\n"
                            "xor.b32 %r5, %r1, 32; shl.b32 %r5, %r5, 2; add.u32 %r5, %r11, %r5; "
                            "ld.shared.u32 %r6, [%r5]; st.global.u32 [%rd3], %r6;"),
                "64", kSharedCopy);
  CHECK(ran.outcome.end == End::finished);
  CHECK(ran.outcome.faults.empty());
  for (std::uint32_t i = 0; i < 64; ++i) CHECK(ran.out(i) == (i ^ 32));
  CHECK_FALSE(decides(ran, bit(exec::Source::timing)));
}

TEST_CASE("loops that wait, as compilers write them") {
  const auto waits = [](const std::string& loop) {
    const Ran ran(behind_init("32", "mbarrier.arrive.shared.b64 _, [%r10];\n" + loop), "32", kSharedCopy);
    CHECK(ran.outcome.end == End::finished);
    return !decides(ran, bit(exec::Source::timing));
  };
  CHECK(waits("W: mbarrier.try_wait.parity.shared.b64 %p1, [%r10], 0; @%p1 bra D; bra W; D:"));
  CHECK(
      waits("W: mbarrier.test_wait.parity.shared.b64 %p1, [%r10], 0; selp.u32 %r2, 1, 0, %p1;\n"
            "setp.eq.u32 %p2, %r2, 0; @%p2 nanosleep.u32 20; @%p2 bra W;"));
  CHECK(waits("W: mbarrier.try_wait.parity.shared.b64 %p1, [%r10], 0, 1000; not.pred %p2, %p1; @%p2 bra W;"));
  // Tries first, and backs off by a count and by the time.
  CHECK(waits(
      "mbarrier.test_wait.parity.shared.b64 %p1, [%r10], 0; @%p1 bra D; mov.u32 %r2, 0; mov.u64 %rd5, "
      "%globaltimer;\n"
      "W: mbarrier.try_wait.parity.shared.b64 %p1, [%r10], 0; @%p1 bra D; setp.lt.s32 %p2, %r2, 16;\n"
      "@%p2 bra SOON; mov.u64 %rd6, %globaltimer; sub.s64 %rd7, %rd6, %rd5; setp.lt.s64 %p3, %rd7, 4000;\n"
      "@%p3 bra W; nanosleep.u32 1000; bra W;\n"
      "SOON: add.s32 %r2, %r2, 1; bra W; D:"));
  // The first try stands before the loop, with constants in registers of their own; they may be others, or change.
  const auto ahead = [&](const std::string& first, const std::string& again) {
    return waits("mov.u32 %r2, " + first +
                 "; mbarrier.try_wait.parity.shared.b64 %p1, [%r10], %r2; @%p1 bra D;\n"
                 "W: nanosleep.u32 20; mov.u32 %r12, m; mov.u32 %r3, " +
                 again + "; mbarrier.try_wait.parity.shared.b64 %p1, [%r12], %r3; @!%p1 bra W; D:");
  };
  CHECK(ahead("0", "0"));
  CHECK_FALSE(ahead("0", "1; mov.u32 %r3, 0"));
  CHECK_FALSE(ahead("0", "%r1; and.b32 %r3, %r3, 0"));
  CHECK_FALSE(ahead("1", "0"));
  // Left when time is up, too; or how often it tried is stored and decides.
  CHECK_FALSE(waits(
      "mov.u64 %rd5, %globaltimer; W: mbarrier.try_wait.parity.shared.b64 %p1, [%r10], 0; @%p1 bra D;\n"
      "mov.u64 %rd6, %globaltimer; sub.s64 %rd7, %rd6, %rd5; setp.lt.s64 %p3, %rd7, 400000; @%p3 bra W; D:"));
  CHECK_FALSE(
      waits("mov.u32 %r2, 0; W: add.u32 %r2, %r2, 1; mbarrier.try_wait.parity.shared.b64 %p1, [%r10], 0;\n"
            "@!%p1 bra W; setp.eq.u32 %p2, %r2, 1; @%p2 st.global.u32 [%rd3], %r2;"));
  // Its result is used, or somebody counts: that is another matter.
  CHECK_FALSE(waits(
      "mbarrier.test_wait.parity.shared.b64 %p1, [%r10], 0; @%p1 bra D; st.global.u32 [%rd3], %r1; D:"));
  CHECK_FALSE(
      waits("mov.u32 %r2, 0; W: mbarrier.try_wait.parity.shared.b64 %p1, [%r10], 0; add.u32 %r2, %r2, 1;\n"
            "setp.gt.u32 %p2, %r2, 9; @%p2 bra D; @!%p1 bra W; D:"));
}

TEST_CASE("waits that fail at first are tried again") {
  const auto tries = [](bool fail) {
    Options options;
    options.waits_fail = fail;
    const Ran ran(behind_init("1",
                              "mbarrier.arrive.shared.b64 _, [%r10]; mov.u32 %r2, 0;\n"
                              "W: add.u32 %r2, %r2, 1; mbarrier.try_wait.parity.shared.b64 %p1, [%r10], 0;\n"
                              "@!%p1 bra W; st.global.u32 [%rd3], %r2;"),
                  "1", kSharedCopy, "1", options);
    CHECK(ran.outcome.end == End::finished);
    return ran.out(0);
  };
  CHECK(tries(false) == 1);
  CHECK(tries(true) == 2);
}

TEST_CASE(
    "late completions: tries that are counted fail, loops that wait go on, and the phase is that of the "
    "issue if it expects the bytes") {
  Schedule late;
  late.late = true;
  const auto ran_by = [](const Schedule& schedule, const std::string& body) {
    Options options;
    options.schedule = schedule;
    return Ran(behind_init("1", body), "1", kSharedCopy, "1", options);
  };
  const std::string bulk =
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r11], [%rd1], 16, [%r10];\n";
  const std::string expect = "mbarrier.arrive.expect_tx.shared.b64 _, [%r10], 16;\n";
  const std::string tries =
      "mov.u32 %r2, 0; W: add.u32 %r2, %r2, 1; mbarrier.test_wait.parity.shared.b64 %p1, [%r10], 0;\n"
      "@%p1 bra D; setp.lt.u32 %p2, %r2, 6; @%p2 bra W; D: st.global.u32 [%rd3+64], %r2;\n";
  const std::string waits = "V: mbarrier.try_wait.parity.shared.b64 %p1, [%r10], 0; @!%p1 bra V;\n";
  const std::string async =
      "cp.async.ca.shared.global [%r11], [%rd1], 4; cp.async.mbarrier.arrive.noinc.shared.b64 [%r10];\n";
  const std::string more =
      "cp.async.ca.shared.global [%r11], [%rd1], 4; cp.async.mbarrier.arrive.shared.b64 [%r10];\n"
      "mbarrier.arrive.shared.b64 _, [%r10];\n";
  for (const std::string& copy : {expect + bulk, bulk + expect, async, more}) {
    for (const bool is_late : {false, true}) {
      const Ran ran = ran_by(is_late ? late : Schedule{}, copy + tries + waits);
      CHECK(ran.outcome.end == End::finished);
      CHECK(ran.outcome.faults.empty());
      CHECK(ran.out(16) == (is_late ? 6 : 1));
    }
  }
  CHECK(ran_by(late, bulk + waits).outcome.end == End::deadlock);
  const std::string arrive = "mbarrier.arrive.shared.b64 _, [%r10];\n";
  CHECK(ran_by(late, bulk + arrive + waits).outcome.end == End::finished);
  CHECK(ran_by({}, bulk + arrive + waits).outcome.end == End::deadlock);
}

TEST_CASE("a wait for a phase that nobody completes") {
  const Ran ran(behind_init("2",
                            "mbarrier.arrive.shared.b64 _, [%r10];\n"
                            "W: mbarrier.try_wait.parity.shared.b64 %p1, [%r10], 0; @!%p1 bra W;"),
                "1", kSharedCopy);
  CHECK(ran.outcome.end == End::deadlock);
  // Time goes on, and nothing else.
  const Ran slow(
      behind_init("2",
                  "mov.u64 %rd5, %globaltimer; W: mbarrier.try_wait.parity.shared.b64 %p1, [%r10], 0;\n"
                  "@%p1 bra D; mov.u64 %rd6, %globaltimer; sub.s64 %rd7, %rd6, %rd5;\n"
                  "setp.lt.s64 %p3, %rd7, 40; @%p3 bra W; nanosleep.u32 9; bra W; D:"),
      "1", kSharedCopy);
  CHECK(slow.outcome.end == End::deadlock);
}

TEST_CASE("what an mbarrier object may be asked for") {
  CHECK(Ran("mov.u32 %r10, m; mbarrier.arrive.shared.b64 _, [%r10];", "1", kSharedCopy).fault() ==
        "mbarrier-misuse");
  CHECK(Ran(behind_init("1", "mbarrier.arrive.shared.b64 _, [%r10], 2;"), "1", kSharedCopy).fault() ==
        "mbarrier-misuse");
  CHECK(Ran("mov.u32 %r10, m; mov.u32 %r2, 0; mbarrier.init.shared.b64 [%r10], %r2;", "1", kSharedCopy)
            .fault() == "mbarrier-misuse");
  CHECK(Ran(behind_init("1", "mbarrier.inval.shared.b64 [%r10]; mbarrier.arrive.shared.b64 _, [%r10];"), "1",
            kSharedCopy)
            .fault() == "mbarrier-misuse");
}

TEST_CASE("cp.async copies, and fills with zeros") {
  const Ran ran(
      "mov.u32 %r4, s; mov.u32 %r2, 7; st.global.v4.u32 [%rd1+256], {%r2, %r2, %r2, %r2};\n"
      "cp.async.cg.shared.global [%r4], [%rd1+256], 16, 8; cp.async.commit_group; cp.async.wait_group 0;\n"
      "ld.shared.v4.u32 {%r5, %r6, %r7, %r8}, [s]; st.global.v4.u32 [%rd1], {%r5, %r6, %r7, %r8};",
      "1", kSharedCopy);
  CHECK(ran.outcome.faults.empty());
  CHECK(ran.out(0) == 7);
  CHECK(ran.out(1) == 7);
  CHECK(ran.out(2) == 0);
  CHECK(ran.out(3) == 0);
  CHECK(Ran("mov.u32 %r4, s; cp.async.ca.shared.global [%r4], [%rd1+4], 8;", "1", kSharedCopy).fault() ==
        "misaligned");
  CHECK(Ran("mov.u32 %r4, s; cp.async.cg.shared.global [%r4], [%rd1+4096], 16;", "1", kSharedCopy).fault() ==
        "out-of-bounds");
}

TEST_CASE("a bulk copy completes its bytes on an mbarrier, and one back in a group") {
  const Ran ran(
      behind_init(
          "1",
          "mov.u32 %r2, 9; st.global.u32 [%rd1+1024], %r2; st.global.u32 [%rd1+1036], %r2;\n"
          "mbarrier.arrive.expect_tx.shared.b64 _, [%r10], 16;\n"
          "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r11], [%rd1+1024], 16, "
          "[%r10];\n"
          "W: mbarrier.try_wait.parity.shared.b64 %p1, [%r10], 0; @!%p1 bra W;\n"
          "cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r11], 16; cp.async.bulk.commit_group;\n"
          "cp.async.bulk.wait_group 0;"),
      "1", kSharedCopy);
  CHECK(ran.outcome.end == End::finished);
  CHECK(ran.outcome.faults.empty());
  CHECK(ran.out(0) == 9);
  CHECK(ran.out(1) == 0);
  CHECK(ran.out(3) == 9);
  CHECK(
      Ran("mov.u32 %r4, s; cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r4], 12;", "1", kSharedCopy)
          .fault() == "bad-operand");
  CHECK(Ran("mov.u32 %r4, s; cp.async.bulk.global.shared::cta.bulk_group [%rd1+8], [%r4], 16;", "1",
            kSharedCopy)
            .fault() == "misaligned");
}

TEST_CASE("arrivals behind copies") {
  const Ran ran(behind_init("32",
                            "cp.async.mbarrier.arrive.noinc.shared.b64 [%r10];\n"
                            "W: mbarrier.try_wait.parity.shared.b64 %p1, [%r10], 0; @!%p1 bra W;\n"
                            "st.global.u32 [%rd3], %r1;"),
                "32", kSharedCopy);
  CHECK(ran.outcome.end == End::finished);
  CHECK(ran.out(31) == 31);
}

TEST_CASE("a tensor copy through a map, with what lies outside of the tensor") {
  const std::string plan = R"({ "module": "m.ptx", "grid": [1,1,1], "block": [1,1,1],
    "memory": { "A": {"bytes": 64, "type": "u32", "data": [0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15]},
                "out": {"bytes": 4096, "data": "zero"} },
    "tensors": { "t": {"of": "A", "offset": 0, "type": "u32", "dims": [4, 4], "strides": [16], "box": [4, 2], "steps": [1, 1]} },
    "arguments": [ {"tensor": "t"}, {"buffer": "out", "offset": 0} ] })";
  const program::Program program = launch::make_program(
      launch::module_of(
          ".visible .entry k(.param .align 64 .b8 t[128], .param .u64 p) {\n"
          ".reg .b32 %r<20>; .reg .b64 %rd<9>; .reg .pred %p<3>; .shared .align 128 .b8 s[1024];\n"
          ".shared .align 8 .b64 m; ld.param.u64 %rd1, [p]; mov.b64 %rd2, t; mov.u32 %r10, m;\n"
          "mov.u32 %r11, s; mbarrier.init.shared.b64 [%r10], 1; mov.u32 %r4, 0; mov.u32 %r5, 3;\n"
          "mbarrier.arrive.expect_tx.shared.b64 _, [%r10], 32;\n"
          "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r11], [%rd2, "
          "{%r4, %r5}], [%r10];\n"
          "W: mbarrier.try_wait.parity.shared.b64 %p1, [%r10], 0; @!%p1 bra W;\n"
          "ld.shared.v4.u32 {%r6, %r7, %r8, %r9}, [s]; ld.shared.u32 %r12, [s+16];\n"
          "st.global.v4.u32 [%rd1], {%r6, %r7, %r8, %r9}; st.global.u32 [%rd1+16], %r12; ret; }"),
      launch::plan_of(plan));
  Run run(program, nullptr);
  const Outcome outcome = run.run({});
  CHECK(outcome.end == End::finished);
  for (const Fault& fault : outcome.faults) MESSAGE(fault.what);
  CHECK(outcome.faults.empty());
  for (std::uint32_t i = 0; i < 4; ++i) CHECK(run.memory("out", i).bits == 12 + i);
  CHECK(run.memory("out", 4).bits == 0);
}

TEST_CASE("ldmatrix and stmatrix: the rows of a matrix, and its columns") {
  const Ran ran(
      "mov.u32 %r4, s; shl.b32 %r5, %r1, 1; add.u32 %r6, %r4, %r5; cvt.u16.u32 %rs1, %r1; st.shared.u16 "
      "[%r6], %rs1;\n"
      "st.shared.u16 [%r6+64], %rs1; bar.sync 0; and.b32 %r7, %r1, 7; shl.b32 %r7, %r7, 4; add.u32 %r8, %r4, "
      "%r7;\n"
      "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r9}, [%r8]; ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 "
      "{%r12}, [%r8];\n"
      "add.u32 %r13, %r8, 512; stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r13], {%r9}; bar.sync 0;\n"
      "ld.shared.u16 %rs2, [%r6+512]; cvt.u32.u16 %r14, %rs2; st.global.u32 [%rd3], %r9; st.global.u32 "
      "[%rd3+128], %r12;\n"
      "st.global.u32 [%rd3+256], %r14;",
      "32", std::string(".shared .align 128 .b8 s[1024];\n"));
  CHECK(ran.outcome.faults.empty());
  // Element i of the matrix is i % 32: row lane / 4, columns 2 (lane % 4) and the next.
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    const std::uint32_t first = (lane / 4 * 8 + 2 * (lane % 4)) % 32;
    CHECK(ran.out(lane) == (first | (first + 1) << 16));
    const std::uint32_t above = (2 * (lane % 4) * 8 + lane / 4) % 32, below = (above + 8) % 32;
    CHECK(ran.out(32 + lane) == (above | below << 16));
    CHECK(ran.out(64 + lane) == lane);
  }
}

TEST_CASE(
    "a map where the launch gives no contents is an error of the launch, where it gives zeros one of the "
    "kernel") {
  const auto fault_of = [](const std::string& data) {
    const std::string plan = R"({ "module": "m.ptx", "grid": [1,1,1], "block": [1,1,1],
      "memory": { "map": {"bytes": 128, "data": ")" +
                             data + R"("} }, "arguments": [ {"buffer": "map", "offset": 0} ] })";
    const program::Program program = launch::make_program(
        launch::module_of(
            ".visible .entry k(.param .u64 p) {\n"
            ".reg .b32 %r<20>; .reg .b64 %rd<9>; .shared .align 128 .b8 s[1024]; .shared .align 8 .b64 m;\n"
            "ld.param.u64 %rd2, [p]; mov.u32 %r10, m; mov.u32 %r11, s; mbarrier.init.shared.b64 [%r10], 1;\n"
            "mov.u32 %r4, 0;\n"
            "cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes [%r11], [%rd2, "
            "{%r4}], [%r10]; ret; }"),
        launch::plan_of(plan));
    Run run(program, nullptr);
    const Outcome outcome = run.run({});
    REQUIRE(outcome.faults.size() == 1);
    CHECK(outcome.faults[0].rule == RuleId::tensor_map);
    return outcome.faults[0];
  };
  CHECK(fault_of("opaque").guessed);
  CHECK(!fault_of("zero").guessed);
}

}  // namespace
}  // namespace ptxmc::exec

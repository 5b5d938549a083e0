// SPDX-License-Identifier: Apache-2.0
// Operands that make a result any number, that a proof takes a reading of, or that the manual forbids.
#include <algorithm>
#include <string>

#include "ran.h"

namespace ptxmc::exec {
namespace {

TEST_CASE("division by zero gives any result, also where it is written over its operands") {
  const auto open = [](const std::string& code) {
    const Ran ran(code + " setp.eq.u32 %p1, %r2, 3; @%p1 bar.sync 0;", "32");
    return std::any_of(ran.outcome.decisions.begin(), ran.outcome.decisions.end(),
                       [](const Decision& decision) { return (decision.sources & bit(Source::data)) != 0; });
  };
  CHECK(open("mov.u32 %r2, 0; mov.u32 %r3, 7; div.u32 %r4, %r3, %r2; mov.u32 %r2, %r4;"));
  CHECK(open("mov.u32 %r2, 0; mov.u32 %r3, 7; div.u32 %r2, %r3, %r2;"));
  CHECK_FALSE(open("mov.u32 %r2, 8; mov.u32 %r3, 7; div.u32 %r2, %r3, %r2;"));  // which is 0
}

TEST_CASE("quotients of negative numbers, and products that a sum may take unrounded, are noted") {
  const auto quotients = [](const std::string& code) { return Ran(code, "32").outcome.remainders.size(); };
  CHECK(quotients("rem.s32 %r2, -7, 4;") == 1);
  CHECK(quotients("div.s32 %r2, 7, -4;") == 1);
  CHECK(quotients("rem.s32 %r2, -8, 4; rem.s32 %r3, 7, 4; rem.u32 %r4, -7, 4; div.s32 %r5, -7, -1;") == 0);
  const auto products = [](const std::string& code) { return Ran(code, "32").outcome.products.size(); };
  const std::string f1 = "mov.f32 %f1, 0f3f800001; ", sum = " add.f32 %f3, %f2, 0fbf800002;";
  CHECK(products(f1 + "mul.f32 %f2, %f1, %f1;" + sum) == 1);
  CHECK(products(f1 + "mul.f32 %f2, %f1, %f1; neg.f32 %f2, %f2;" + sum) == 1);
  CHECK(products(f1 + "mul.f32 %f2, %f1, %f1;") == 0);
  CHECK(products(f1 + "mul.rn.f32 %f2, %f1, %f1;" + sum) == 0);
  CHECK(products(f1 + "mul.f32 %f2, %f1, %f1; add.rn.f32 %f3, %f2, 0fbf800002;") == 0);
  CHECK(products("mov.f32 %f1, 0f40400000; mul.f32 %f2, %f1, %f1;" + sum) == 0);  // 3 times 3
}

TEST_CASE("operands of instructions on registers have limits (9.7.1.17, 9.7.8.17)") {
  const auto fault = [](const std::string& code) { return Ran(code, "32").fault(); };
  CHECK(fault("fns.b32 %r2, 7, 32, 1;") == "bad-operand");
  CHECK(fault("fns.b32 %r2, 7, 31, 1;") == "0 faults");
  CHECK(fault("mov.u32 %r3, %laneid; add.u32 %r3, %r3, 1; fns.b32 %r2, 7, %r3, 1;") == "bad-operand");
  CHECK(fault("createpolicy.fractional.L2::evict_last.b64 %rd5, 1.5;") == "bad-operand");
  CHECK(fault("createpolicy.fractional.L2::evict_last.b64 %rd5, 0.5;") == "0 faults");
  CHECK(fault("createpolicy.fractional.L2::evict_last.b64 %rd5;") == "0 faults");
  CHECK(fault("createpolicy.range.global.L2::evict_last.b64 %rd5, [%rd1], 64, 32;") == "bad-operand");
  CHECK(fault("createpolicy.range.global.L2::evict_last.b64 %rd5, [%rd1], 32, 64;") == "0 faults");
  CHECK(fault(".shared .b32 s; mov.u64 %rd2, s; cvta.shared.u64 %rd2, %rd2;"
              "createpolicy.range.L2::evict_last.b64 %rd5, [%rd2], 32, 64;") == "wrong-space");
  const Ran open(".shared .b32 s; ld.shared.u32 %r3, [s]; fns.b32 %r2, 7, %r3, 1;", "32");
  CHECK(open.fault() == "0 faults");
  CHECK_FALSE(open.outcome.decisions.empty());
}

TEST_CASE("metadata and selectors of sparse matrices (9.7.13.5.1)") {
  const auto product = [](const std::string& metadata, const std::string& selector, const std::string& form) {
    return ".shared .b32 s; " + metadata + "mma.sp" + form +
           ".sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%f0,%f1,%f2,%f3}, {%r2,%r3,%r4,%r5}, {%r6,%r7,%r8,%r9},"
           " {%f0,%f1,%f2,%f3}, %r10, " +
           selector + ";";
  };
  const std::string good = "mov.u32 %r10, 0x44444444; ";
  for (const char* const form : {"", "::ordered_metadata"}) {
    INFO(form);
    CHECK(Ran(product(good, "0", form), "32").fault() == "0 faults");
    CHECK(Ran(product(good, "1", form), "32").outcome.metadata.empty());
    CHECK(Ran(product(good, "2", form), "32").fault() == "sparsity-metadata");
    CHECK(Ran(product("mov.u32 %r10, 0; ", "0", form), "32").fault() == "sparsity-metadata");
    CHECK(Ran(product("ld.shared.u32 %r10, [s]; ", "0", form), "32").outcome.metadata.size() == 1);
  }
  CHECK(Ran(product("mov.u32 %r10, 0x11111111; ", "0", ""), "32").fault() == "0 faults");
  CHECK(Ran(product("mov.u32 %r10, 0x11111111; ", "0", "::ordered_metadata"), "32").fault() ==
        "sparsity-metadata");
  // Threads 2 and 3 of four hold none with selector 0.
  const std::string first =
      "and.b32 %r11, %r1, 2; setp.eq.u32 %p1, %r11, 0; selp.b32 %r10, 0x44444444, 0, %p1; ";
  CHECK(Ran(product(first, "0", ""), "32").fault() == "0 faults");
  CHECK(Ran(product(first, "1", ""), "32").fault() == "sparsity-metadata");
}

TEST_CASE("setmaxnreg counts from .maxnreg (9.7.17.5)") {
  const auto ran = [](const std::string& code, const std::string& most) {
    Words words;
    words.grid = "1";
    words.block = "128";
    const program::Program program =
        launch::make_program(launch::module_of(".visible .entry k() " + most + " { " + code + " }"),
                             launch::read_words(words), {});
    Run run(program, nullptr);
    return run.run({});
  };
  const auto faults = [&](const std::string& code, const std::string& most) {
    return ran(code, most).faults.size();
  };
  const std::string less = "setmaxnreg.dec.sync.aligned.u32 128;",
                    more = "setmaxnreg.inc.sync.aligned.u32 128;";
  CHECK(faults(less, ".maxnreg 64") == 1);
  CHECK(faults(less, ".maxnreg 168") == 0);
  CHECK(faults(more, ".maxnreg 168") == 1);
  CHECK(faults(more, ".maxnreg 64") == 0);
  CHECK(ran(less, ".maxnreg 168").pools.empty());
  CHECK(ran(more, ".maxnreg 64").pools.size() == 1);
  CHECK(ran(less, "").pools.size() == 1);
}

TEST_CASE("the shared memory that is reserved for system software (10.29)") {
  const auto reserved = [](const std::string& code) { return Ran(code, "32").outcome.reserved.size(); };
  CHECK(reserved("mov.u32 %r2, %reserved_smem_offset_1; ld.shared.u32 %r3, [%r2];") == 1);
  CHECK(reserved("mov.u32 %r2, %reserved_smem_offset_1;") == 0);
  CHECK(reserved(".shared .b32 s; ld.shared.u32 %r3, [s];") == 0);
}

TEST_CASE("the bits of an mbarrier state are known to the machine alone (9.7.12.15.13)") {
  const std::string arrive =
      ".shared .b64 m; mov.u32 %r4, m; @%p0 bra E; setp.ne.u32 %p2, %r1, 0; @!%p2 mbarrier.init.shared.b64 [%r4], 32;"
      " bar.sync 0; mbarrier.arrive.shared.b64 %rd5, [%r4]; ";
  const std::string wait = "W: mbarrier.test_wait.shared.b64 %p1, [%r4], %rd6; @!%p1 bra W; E:";
  CHECK(Ran(arrive + "mov.b64 %rd6, %rd5; " + wait, "32").outcome.decisions.empty());
  CHECK_FALSE(Ran(arrive + "mov.b64 %rd6, %rd5; setp.lt.s64 %p3, %rd5, 0; @%p3 bra E; " + wait, "32")
                  .outcome.decisions.empty());
  CHECK_FALSE(
      Ran(arrive + "and.b64 %rd6, %rd5, 255; mad.lo.u64 %rd6, %rd6, 4, %rd1; st.global.u32 [%rd6], 1; E:",
          "32")
          .outcome.decisions.empty());
}

TEST_CASE(
    "an answer of a single try that is not looked at orders nothing, and one that is leaves the run open") {
  // Thread 32 has waited for the second object when it tries that again.
  const std::string begin =
      ".shared .b64 m[2]; mov.u32 %r4, m; mov.u32 %r7, 0; setp.ne.u32 %p2, %r1, 0; @%p2 bra R;\n"
      "mbarrier.init.shared.b64 [%r4], 1; mbarrier.init.shared.b64 [%r4+8], 1;\nR: bar.sync 0;\n"
      "setp.eq.u32 %p3, %r1, 32; @%p3 bra F; @%p2 bra Z;\n"
      "mbarrier.arrive.shared.b64 %rd5, [%r4+8]; mbarrier.arrive.shared.b64 %rd5, [%r4]; bra Z;\n"
      "F: mbarrier.try_wait.parity.shared.b64 %p1, [%r4], 0; @!%p1 bra F;\n"
      "mbarrier.try_wait.parity.shared.b64 %p1, [%r4+8], 0;\n";
  const auto open = [&](const std::string& code) {
    return !Ran(begin + code + "\nZ:", "64").outcome.decisions.empty();
  };
  CHECK_FALSE(open(""));
  CHECK_FALSE(open("selp.u32 %r8, 1, 0, %p1; st.global.u32 [%rd1], %r8;"));
  CHECK_FALSE(open("mov.pred %p4, %p1; setp.ne.u32 %p4, %r7, 0; @%p4 bra Z;"));
  CHECK(open("@!%p1 bra Z;"));
  CHECK(open("setp.eq.u32 %p5, %r7, 0; @%p5 bra Z; @!%p1 bra Z;"));  // which this run does not come to
  CHECK(open("vote.sync.any.pred %p4, %p1, 1;"));
}

TEST_CASE("reads that decide whether a thread exits in front of a barrier") {
  const auto reads = [](const std::string& code) {
    const std::string other = "O: barrier.sync 0; st.relaxed.gpu.global.u32 [%rd1], 1;\nZ:";
    return Ran("setp.eq.u32 %p2, %r1, 0; @%p2 bra O;\n" + code + "\n" + other, "2").outcome.exit_reads.size();
  };
  const std::string load = "ld.relaxed.gpu.global.u32 %r2, [%rd1]; setp.eq.u32 %p1, %r2, 1; ";
  CHECK(reads(load + "@%p1 exit; barrier.sync 0; bra Z;") == 1);
  CHECK(reads(load + "@!%p1 bra N; bra Z;\nN: barrier.sync 0; bra Z;") == 1);
  CHECK(reads("ld.relaxed.gpu.global.u32 %r2, [%rd1]; TT: .branchtargets N, E; brx.idx %r2, TT;\nE: bra Z;\n"
              "N: barrier.sync 0; bra Z;") == 1);
  CHECK(
      reads(
          "atom.relaxed.gpu.global.or.b32 %r2, [%rd1], 0; setp.eq.u32 %p1, %r2, 1; @%p1 exit; barrier.sync 0; bra Z;") ==
      1);
  CHECK(
      reads(
          ".local .b32 l; ld.relaxed.gpu.global.u32 %r2, [%rd1]; st.local.u32 [l], %r2; ld.local.u32 %r3, [l];"
          "setp.eq.u32 %p1, %r3, 1; @%p1 exit; barrier.sync 0; bra Z;") == 1);
  CHECK(
      reads(
          load +
          "shfl.sync.idx.b32 %r3, %r2, 1, 31, 2; setp.eq.u32 %p1, %r3, 1; @%p1 exit; barrier.sync 0; bra Z;") ==
      1);
  // Both sides come to the barrier; the value goes nowhere; there is no barrier.
  CHECK(reads(load + "@%p1 bra N;\nN: barrier.sync 0; bra Z;") == 0);
  CHECK(reads(load + "barrier.sync 0; bra Z;") == 0);
}

TEST_CASE("counts and sizes of operations decide what these do") {
  const auto open = [](const std::string& operand, const std::string& code) {
    const Ran ran(".shared .b64 m; .shared .align 16 .b8 s[64]; mov.u32 %r4, m; mov.u32 %r5, s;\n" + operand +
                      "\nmbarrier.init.shared.b64 [%r4], 8;\n" + code,
                  "1");
    return std::any_of(ran.outcome.decisions.begin(), ran.outcome.decisions.end(),
                       [](const Decision& decision) { return (decision.sources & bit(Source::data)) != 0; });
  };
  for (const char* const code :
       {"mbarrier.inval.shared.b64 [%r4]; mbarrier.init.shared.b64 [%r4], %r2;",
        "mbarrier.arrive.shared.b64 _, [%r4], %r2;", "mbarrier.arrive_drop.shared.b64 _, [%r4], %r2;",
        "mbarrier.arrive.expect_tx.shared.b64 _, [%r4], %r2;",
        "mbarrier.expect_tx.relaxed.cta.shared.b64 [%r4], %r2;",
        "mbarrier.complete_tx.relaxed.cta.shared.b64 [%r4], %r2;",
        "cp.async.bulk.prefetch.L2.global [%rd1], %r2;"}) {
    INFO(code);
    CHECK(open("ld.shared.u32 %r2, [s]; and.b32 %r2, %r2, 16; or.b32 %r2, %r2, 16;", code));
    CHECK_FALSE(open("mov.u32 %r2, 16;", code));
  }
}

TEST_CASE("addresses of operands decide what an operation accesses") {
  const auto open = [](const std::string& operand, const std::string& code) {
    const Ran ran(".shared .align 16 .b8 s[256]; .shared .b64 m; mov.u32 %r4, m; mov.u32 %r5, s;\n" +
                      operand +
                      "\ncvt.u64.u32 %rd5, %r2; add.u64 %rd5, %rd5, %rd1; add.u32 %r6, %r5, %r2;\n" + code,
                  "1");
    return std::any_of(
        ran.outcome.decisions.begin(), ran.outcome.decisions.end(), [](const Decision& decision) {
          return decision.what == Decided::address && (decision.sources & bit(Source::data)) != 0;
        });
  };
  for (
      const char* const code :
      {"discard.global.L2 [%rd5], 128;", "applypriority.global.L2::evict_normal [%rd5], 128;",
       "cp.async.bulk.prefetch.L2.global [%rd5], 16;",
       "mbarrier.init.shared.b64 [%r4], 1; mbarrier.arrive.expect_tx.shared.b64 _, [%r4], 16;\n"
       "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%r6], [%r4];"}) {
    INFO(code);
    CHECK(open("ld.shared.u32 %r2, [s]; and.b32 %r2, %r2, 128;", code));
    CHECK_FALSE(open("mov.u32 %r2, 128;", code));
  }
}

TEST_CASE("a generic address outside of a state space has no address in it") {
  const auto places = [](const std::string& space) {
    const Ran ran(".local .b32 l; .shared .b32 s; mov.u64 %rd4, l; cvta.local.u64 %rd4, %rd4; cvta.to." +
                      space + ".u64 %rd4, %rd4; ld." + space + ".u32 %r2, [%rd4];",
                  "1");
    return std::any_of(ran.outcome.decisions.begin(), ran.outcome.decisions.end(),
                       [](const Decision& decision) { return (decision.sources & bit(Source::place)) != 0; });
  };
  CHECK(places("shared"));
  CHECK_FALSE(places("local"));
}

TEST_CASE(
    "which NaN an instruction gives is not known, nor what a sum of subnormal numbers leaves in memory") {
  const auto open = [](const std::string& code) {
    const Ran ran(code + " setp.eq.u32 %p1, %r2, 0; @%p1 bar.sync 0;", "32");
    return std::any_of(ran.outcome.decisions.begin(), ran.outcome.decisions.end(),
                       [](const Decision& decision) { return (decision.sources & bit(Source::data)) != 0; });
  };
  for (const char* const by : {"abs.f32 %f2, %f1;", "neg.f32 %f2, %f1;", "add.f32 %f2, %f1, %f1;"}) {
    CHECK(open("mov.f32 %f1, 0f7fc00001; " + std::string(by) + " mov.b32 %r2, %f2;"));
    CHECK_FALSE(open("mov.f32 %f1, 0f7f800000; " + std::string(by) + " mov.b32 %r2, %f2;"));
  }
  CHECK_FALSE(open("mov.f32 %f1, 0f7fc00001; mov.b32 %r2, %f1;"));
  CHECK(open("mov.f32 %f1, 0f00000001; red.global.add.f32 [%rd3], %f1; ld.global.u32 %r2, [%rd3];"));
  CHECK_FALSE(open("mov.f32 %f1, 0f3f800000; red.global.add.f32 [%rd3], %f1; ld.global.u32 %r2, [%rd3];"));
}

TEST_CASE("all lanes of a warp allocate as many columns") {
  const auto faults = [](const std::string& lanes) {
    const Ran ran(
        ".shared .b32 s; mov.u32 %r2, 32; " + lanes +
            " tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [s], %r2; ld.shared.u32 %r3, [s];\n"
            "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r3, 32;",
        "32");
    return std::count_if(ran.outcome.faults.begin(), ran.outcome.faults.end(),
                         [](const Fault& fault) { return fault.misuse == Misuse::lanes; });
  };
  CHECK(faults("") == 0);
  CHECK(faults("setp.eq.u32 %p1, %r1, 5; @%p1 mov.u32 %r2, 64;") == 1);
}

TEST_CASE("ldu is of one address in a warp") {
  CHECK(Ran("ldu.global.u32 %r2, [%rd1];", "64").outcome.faults.empty());
  CHECK(Ran("ldu.global.u32 %r2, [%rd3];", "64").fault() == "bad-operand");
  CHECK(Ran("ldu.global.u32 %r2, [%rd3];", "1").outcome.faults.empty());
  CHECK(
      Ran(".shared .u32 s; mov.u64 %rd4, s; cvta.shared.u64 %rd4, %rd4; ldu.u32 %r2, [%rd4];", "1").fault() ==
      "wrong-space");
}

TEST_CASE("an mbarrier object of layout v1 expects 511 arrivals at most") {
  const auto init = [](const std::string& form) {
    return Ran(".shared .align 8 .b64 m; mbarrier.init" + form + ";", "1").outcome.faults.size();
  };
  CHECK(init(".shared.b64 [m], 512") == 0);
  CHECK(init(".layout::v0.shared.b64 [m], 512") == 0);
  CHECK(init(".layout::v1.shared.b64 [m], 511") == 0);
  CHECK(init(".layout::v1.shared.b64 [m], 512") == 1);
}

}  // namespace
}  // namespace ptxmc::exec

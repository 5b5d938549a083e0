// SPDX-License-Identifier: Apache-2.0
// Where objects lie is an input: what rests on it, and that accesses stay in the object whose address they were made of.
#include "dynamic/exec/places.h"

#include <string>
#include <vector>

#include "../launch/launched.h"
#include "dynamic/exec/run.h"
#include "ran.h"

namespace ptxmc::exec {
namespace {

/// What a kernel of one warp does with two buffers, %rd1 and %rd2, of 1 KB, two arrays in shared memory of 256 bytes, s and
/// w, and dynamic shared memory, d. %r1 is the thread.
std::string told_places(const std::string& body, const std::string& shared = "2K") {
  Words words;
  words.block = "32";
  words.shared = shared;
  words.arguments = {"in=buffer:1K:zero", "out=buffer:1K:zero"};
  const program::Program program = launch::launched(
      ".param .u64 p, .param .u64 q",
      ".reg .b32 %r<30>; .reg .b64 %rd<20>; .reg .pred %p<9>; .reg .b16 %rs<9>;\n"
      ".shared .align 16 .b8 s[256]; .shared .align 4 .b8 w[256]; .local .align 16 .b8 l[16];\n"
      "ld.param.u64 %rd1, [p]; ld.param.u64 %rd2, [q]; mov.u32 %r1, %tid.x; mov.u32 %r2, s; mov.u32 %r3, w;\n"
      "mov.u32 %r4, d; mov.u64 %rd3, s; cvta.shared.u64 %rd4, %rd3; mul.wide.u32 %rd5, %r1, 4; shl.b32 %r5, "
      "%r1, 2;\n" +
          body + "\nret;",
      words, ".extern .shared .align 1 .b8 d[];\n");
  Run run(program, nullptr);
  const Outcome outcome = run.run({});
  std::string out;
  for (const Decision& decision : outcome.decisions) {
    if ((decision.sources & bit(Source::place)) != 0) out = "places";
    if ((decision.sources & bit(Source::machine)) != 0) out = "machine";
  }
  for (const Fault& fault : outcome.faults)
    out += (out.empty() ? "" : " ") + std::string(name_of(fault.rule));
  return out;
}

/// The same of a branch that a predicate decides, %p1.
std::string branching(const std::string& body) {
  return told_places(body + "\n@%p1 st.global.u32 [%rd1], 1;");
}

TEST_CASE("bits of an address below its alignment are known, and others are not") {
  CHECK(branching("and.b64 %rd6, %rd1, 255; setp.ne.u64 %p1, %rd6, 0;").empty());
  CHECK(branching("and.b64 %rd6, %rd1, 256; setp.ne.u64 %p1, %rd6, 0;") == "places");
  CHECK(branching("shr.u64 %rd6, %rd1, 12; and.b64 %rd6, %rd6, 1; setp.eq.u64 %p1, %rd6, 0;") == "places");
  CHECK(branching("bfe.u64 %rd6, %rd1, 4, 4; setp.ne.u64 %p1, %rd6, 0;").empty());
  CHECK(branching("cvt.u32.u64 %r6, %rd1; and.b32 %r6, %r6, 12; setp.ne.u32 %p1, %r6, 0;").empty());
  CHECK(branching("rem.u32 %r6, %r2, 16; setp.ne.u32 %p1, %r6, 0;").empty());
  CHECK(branching("rem.u32 %r6, %r3, 16; setp.ne.u32 %p1, %r6, 0;") == "places");
  CHECK(branching("and.b32 %r6, %r4, 31; setp.ne.u32 %p1, %r6, 0;") == "places");  // dynamic: 16
  CHECK(branching("and.b32 %r6, %r4, 15; setp.ne.u32 %p1, %r6, 0;").empty());
}

TEST_CASE("addresses of one object compare, and those of two are unequal at most") {
  CHECK(branching("add.u64 %rd6, %rd1, %rd5; add.u64 %rd7, %rd1, 16; setp.lt.u64 %p1, %rd6, %rd7;").empty());
  CHECK(branching("add.u64 %rd6, %rd1, %rd5; sub.u64 %rd7, %rd6, %rd1; setp.lt.u64 %p1, %rd7, 16;").empty());
  CHECK(branching("setp.lt.u64 %p1, %rd1, %rd2;") == "places");
  CHECK(branching("setp.eq.u64 %p1, %rd1, %rd2;").empty());
  CHECK(branching("add.u64 %rd6, %rd1, 1024; setp.eq.u64 %p1, %rd6, %rd2;") == "places");  // behind its end
  CHECK(branching("sub.u64 %rd6, %rd2, %rd1; setp.gt.u64 %p1, %rd6, 4096;") == "places");
  CHECK(branching("setp.eq.u64 %p1, %rd1, 0;").empty());
  CHECK(branching("setp.eq.u64 %p1, %rd4, 0;").empty());
  CHECK(branching("setp.eq.u32 %p1, %r2, 0;") == "places");  // a window may have an object at its begin
}

TEST_CASE("half of an address is no address, wherever objects lie in a run") {
  const std::string lower = "cvt.u32.u64 %r6, %rd1; cvt.u32.u64 %r7, %rd2;";
  CHECK(branching(lower + "setp.eq.u32 %p1, %r6, %r7;") == "places");
  CHECK(branching(lower + "setp.eq.u32 %p1, %r6, 0;") == "places");
  CHECK(branching("and.b64 %rd6, %rd1, 0xffffffff; setp.eq.u64 %p1, %rd6, 0;") == "places");
  CHECK(branching("add.u64 %rd6, %rd1, 256;" + lower + "cvt.u32.u64 %r8, %rd6; setp.lt.u32 %p1, %r8, %r6;") ==
        "places");
  CHECK(branching("shr.u64 %rd6, %rd1, 32; setp.eq.u64 %p1, %rd6, 0;") == "places");
  const std::string again = "mov.b64 {%r6, %r7}, %rd1; mov.b64 %rd6, {%r6, %r7};";
  CHECK(branching(again + "setp.ne.u64 %p1, %rd6, %rd1;").empty());
  CHECK(told_places(again + "st.global.u32 [%rd6+1020], 1;").empty());
  CHECK(told_places(again + "st.global.u32 [%rd6+1024], 1;") == "out-of-bounds");
  // Its sign is not known, and neither is a half beside one that is overwritten.
  CHECK(branching("cvt.u32.u64 %r6, %rd1; cvt.s64.s32 %rd6, %r6; setp.ge.s64 %p1, %rd6, 0;") == "places");
  CHECK(branching("st.local.u64 [l], %rd1; ld.local.s32 %rd6, [l]; setp.ge.s64 %p1, %rd6, 0;") == "places");
  const std::string upper = "ld.local.u32 %r6, [l+4]; mov.b64 {%r7, %r8}, %rd1; setp.ne.u32 %p1, %r6, %r8;";
  CHECK(branching("st.local.u64 [l], %rd1;" + upper).empty());
  CHECK(branching("st.local.u64 [l], %rd1; st.local.u32 [l], 0x50000000;" + upper).empty());
  // What lies one page further may have another upper half.
  CHECK(branching("add.u64 %rd6, %rd1, 4096; st.local.u64 [l], %rd6; st.local.u32 [l], 0x40000000;" +
                  upper) == "places");
}

TEST_CASE("an access lies in the object that its address was made of") {
  CHECK(told_places("add.u64 %rd6, %rd1, %rd5; st.global.u32 [%rd6+896], 1;").empty());
  CHECK(told_places("add.u64 %rd6, %rd1, %rd5; st.global.u32 [%rd6+900], 1;") == "out-of-bounds");
  CHECK(told_places("add.u32 %r6, %r2, %r5; st.shared.u32 [%r6+128], 1;").empty());
  CHECK(told_places("add.u32 %r6, %r2, %r5; st.shared.u32 [%r6+132], 1;") ==
        "out-of-bounds");  // in another variable
  CHECK(told_places("add.u64 %rd6, %rd4, %rd5; st.u32 [%rd6+132], 1;") == "out-of-bounds");
  CHECK(told_places("st.shared.u32 [%r3+-4], 1;") == "out-of-bounds");
  CHECK(told_places("mad.lo.u32 %r6, %r1, 16, %r2; ld.shared.v4.u32 {%r7, %r8, %r9, %r10}, [%r6];") ==
        "out-of-bounds");
  CHECK(told_places("mad.lo.u32 %r6, %r1, 8, %r2; ld.shared.v2.u32 {%r7, %r8}, [%r6];").empty());
  CHECK(told_places("mov.u32 %r6, 16; st.shared.u32 [%r6], 1;") == "places");  // who lies there?
  CHECK(told_places("sub.u64 %rd6, %rd2, %rd1; add.u64 %rd7, %rd6, %rd1; st.global.u32 [%rd7+1020], 1;")
            .empty());
  CHECK(told_places("sub.u64 %rd6, %rd2, %rd1; st.global.u32 [%rd6], 1;").starts_with("places"));
}

TEST_CASE("addresses go through memory, shuffles, halves and other state spaces") {
  const std::string access = " st.global.u32 [%rd9+1020], 1;";
  CHECK(told_places("st.shared.u64 [s], %rd1; bar.warp.sync -1; ld.shared.u64 %rd9, [s];" + access).empty());
  CHECK(told_places("st.local.u64 [l], %rd1; ld.local.v2.u32 {%r6, %r7}, [l]; mov.b64 %rd9, {%r6, %r7};" +
                    access)
            .empty());
  CHECK(told_places(
            "mov.b64 {%r6, %r7}, %rd1; shfl.sync.idx.b32 %r8, %r6, 0, 31, -1; mov.b64 %rd9, {%r8, %r7};" +
            access)
            .empty());
  CHECK(told_places("cvta.to.global.u64 %rd9, %rd1;" + access).empty());
  CHECK(told_places("add.u64 %rd8, %rd4, 252; cvta.to.shared.u64 %rd9, %rd8; st.shared.u32 [%rd9], 1;")
            .empty());
  CHECK(told_places("add.u64 %rd8, %rd4, 256; cvta.to.shared.u64 %rd9, %rd8; st.shared.u32 [%rd9], 1;") ==
        "out-of-bounds");
  CHECK(told_places("not.b64 %rd8, %rd1; not.b64 %rd9, %rd8;" + access).empty());
  CHECK(told_places("st.shared.u64 [s], %rd1; bar.warp.sync -1; st.shared.u32 [s+4], %r1; bar.warp.sync -1; "
                    "ld.shared.u64 "
                    "%rd9, [s];" +
                    access)
            .starts_with("places"));
}

TEST_CASE("an address that is rounded lies in its object with room for that") {
  const std::string round = "add.u32 %r6, %r4, 1023; and.b32 %r7, %r6, -1024; add.u32 %r8, %r7, %r5;\n";
  CHECK(told_places(round + "st.shared.u32 [%r8], 1;", "1136").empty());  // 1008 and 128
  CHECK(told_places(round + "st.shared.u32 [%r8], 1;", "1120") == "places");
  CHECK(told_places(round + "st.shared.u32 [%r8], 1;", "64") == "out-of-bounds");
  CHECK(told_places(round + "st.shared.u32 [%r8], 1; st.shared.u32 [%r4+1000], 1;") ==
        "places");  // beside it, or the same
  // As it is subtracted, and as it is rounded twice.
  CHECK(told_places(
            "and.b32 %r6, %r4, 1023; sub.u32 %r7, 1024, %r6; add.u32 %r8, %r4, %r7; st.shared.u32 [%r8], 1;")
            .empty());
  CHECK(
      told_places(round + "add.u32 %r9, %r8, 127; and.b32 %r9, %r9, -128; st.shared.u32 [%r9], 1;").empty());
  // What is known of it then.
  CHECK(
      branching(
          "add.u32 %r6, %r4, 1023; and.b32 %r7, %r6, -1024; and.b32 %r8, %r7, 1008; setp.ne.u32 %p1, %r8, 0;")
          .empty());
}

TEST_CASE("an access needs no larger alignment than its object is declared with (5.4.5)") {
  const auto load = [](const std::string& at) {
    return told_places("ld.shared.v4.u32 {%r7, %r8, %r9, %r10}, [" + at + "];");
  };
  CHECK(load("%r2").empty());
  CHECK(load("%r2+16").empty());
  CHECK(load("%r4").empty());  // dynamic: 16
  CHECK(load("%r3") == "declared-alignment");
  CHECK(load("%r3+16") == "declared-alignment");
  CHECK(told_places("ld.shared.u32 %r7, [%r3];").empty());
  CHECK(told_places("st.shared.u64 [%r3], 1;") == "declared-alignment");
  CHECK(told_places("add.u32 %r6, %r3, %r5; st.shared.u16 [%r6+128], 1;").empty());
  CHECK(told_places("ld.global.v4.u32 {%r7, %r8, %r9, %r10}, [%rd1+32];").empty());
  CHECK(told_places("mbarrier.init.shared.b64 [%r3], 1;") == "declared-alignment");
  CHECK(told_places("mbarrier.init.shared.b64 [%r2], 1;").empty());
  CHECK(told_places("cp.async.ca.shared.global [%r3], [%rd1], 4; cp.async.wait_all;").empty());
  CHECK(told_places("cp.async.cg.shared.global [%r3], [%rd1], 16; cp.async.wait_all;") ==
        "declared-alignment");
  CHECK(told_places("atom.shared.add.u64 %rd6, [%r3], 1;") == "declared-alignment");
  // An address that is rounded has the alignment that it is rounded to.
  CHECK(told_places("add.u32 %r6, %r3, 15; and.b32 %r6, %r6, -16; st.shared.u64 [%r6], 1;").empty());
}

TEST_CASE("where columns of tensor memory lie is an input, unless they are all that there are (9.7.16.7)") {
  const auto allocated = [](const std::string& body, const std::string& columns = "32",
                            const std::string& freed = "%r6") {
    const std::string manage = ".cta_group::1.sync.aligned";
    return told_places("tcgen05.alloc" + manage + ".shared::cta.b32 [%r2], " + columns +
                       "; ld.shared.u32 %r6, [%r2];\n" + body + "\ntcgen05.dealloc" + manage + ".b32 " +
                       freed + ", " + columns + ";");
  };
  const std::string store = "tcgen05.st.sync.aligned.32x32b.x1.b32 ",
                    to_memory = " @%p1 st.global.u32 [%rd1], 1;";
  CHECK(allocated("").empty());
  CHECK(allocated(store + "[%r6+31], {%r1};").empty());
  CHECK(allocated("add.u32 %r7, %r6, 4; " + store + "[%r7], {%r1};").empty());
  CHECK(allocated("", "32", "0") == "places");
  CHECK(allocated("mov.u32 %r7, 0; " + store + "[%r7], {%r1};") == "places");
  CHECK(allocated("setp.ge.u32 %p1, %r6, 64;" + to_memory) == "places");
  CHECK(allocated("and.b32 %r7, %r6, 31; setp.ne.u32 %p1, %r7, 0;" + to_memory).empty());
  CHECK(allocated("shr.u32 %r7, %r6, 9; setp.ne.u32 %p1, %r7, 0;" + to_memory).empty());
  CHECK(allocated("add.u32 %r7, %r6, 31; setp.lt.u32 %p1, %r7, 512;" + to_memory).empty());
  CHECK(allocated("add.u32 %r7, %r6, 31; setp.lt.u32 %p1, %r7, 511;" + to_memory) == "places");
  CHECK(allocated("mul.wide.u32 %rd6, %r6, 4; add.u64 %rd6, %rd1, %rd6; st.global.u32 [%rd6], 1;") ==
        "places");
  CHECK(allocated("", "512", "0").empty());
  CHECK(allocated("mov.u32 %r7, 0; " + store + "[%r7], {%r1};", "512").empty());
}

TEST_CASE("what the machine is, no launch says") {
  CHECK(branching("mov.u32 %r6, %nsmid; setp.eq.u32 %p1, %r6, 132;") == "machine");
  CHECK(branching("mov.u32 %r6, %nwarpid; setp.eq.u32 %p1, %r6, 1;") == "machine");
  CHECK(branching("mov.u32 %r6, %total_smem_size; setp.eq.u32 %p1, %r6, 512;") == "machine");
}

TEST_CASE("local memory of another thread is none") {
  CHECK(told_places("cvta.local.u64 %rd6, l; shfl.sync.idx.b32 %r6, %r1, 0, 31, -1; st.shared.u64 [s], %rd6; "
                    "ld.shared.u64 %rd7, "
                    "[s]; st.u32 [%rd6], 1;")
            .empty());
  CHECK(told_places(
            "mov.u64 %rd8, l; cvta.local.u64 %rd6, %rd8; setp.eq.u32 %p1, %r1, 3; @%p1 st.shared.u64 [s], "
            "%rd6; "
            "bar.warp.sync -1; ld.shared.u64 %rd7, [s]; st.u32 [%rd7], 1;") == "wrong-space");
}

}  // namespace
}  // namespace ptxmc::exec

// SPDX-License-Identifier: Apache-2.0
// Loops that wait: which they are, and what is not the same however often they have gone round.
#include <algorithm>

#include "ran.h"

namespace ptxmc::exec {
namespace {

/// CTA 0 writes 1 to the flag, or the last one does; the other one executes this. Does anything but its waiting decide?
bool decides(const std::string& loop, bool writer_first) {
  const Ran ran("mov.u32 %r5, %ctaid.x; setp.eq.u32 %p1, %r5, " + std::string(writer_first ? "0" : "1") +
                    "; @%p1 bra WRITER;\n" + loop +
                    "\nret;\nWRITER: st.release.gpu.global.u32 [%rd1+1024], 1; st.release.gpu.global.u32 "
                    "[%rd1+1028], 1;",
                "1", "", "2");
  CHECK(ran.outcome.end == End::finished);
  return std::any_of(ran.outcome.decisions.begin(), ran.outcome.decisions.end(),
                     [](const Decision& decision) { return decision.what == Decided::control; });
}
bool decides(const std::string& loop) {
  const bool first = decides(loop, true), last = decides(loop, false);
  CHECK(first == last);
  return first;
}

const std::string kRead =
    "ld.acquire.gpu.global.u32 %r2, [%rd1+1024]; setp.ne.u32 %p2, %r2, 0; @%p2 bra OUT;\n";

TEST_CASE("what turns of a loop have written rests on how many there were, though there were none") {
  const auto behind = [](const std::string& test) {
    return "OUT: bar.warp.sync 1; setp.eq.u32 %p3, " + test +
           "; @%p3 bra END; st.global.u32 [%rd1], %r2; END:";
  };
  // What the first turn finds, and what those that come back leave.
  const auto loop = [&](const std::string& before, const std::string& turn, const std::string& test) {
    return before + "\nWAIT: " + kRead + turn + " bra WAIT;\n" + behind(test);
  };
  CHECK_FALSE(decides(loop("mov.u32 %r3, 8;", "nanosleep.u32 %r3; shl.b32 %r3, %r3, 1;", "%r4, 8")));
  CHECK(decides(loop("mov.u32 %r3, 8;", "nanosleep.u32 %r3; shl.b32 %r3, %r3, 1;", "%r3, 8")));
  CHECK(decides(loop("mov.u32 %r3, 8;", "mov.u32 %r3, 9;", "%r3, 8")));
  CHECK(decides(loop("mov.u32 %r3, 8;", "mov.u32 %r3, 9;", "%r3, 9")));
  // It is written anew before each read, from what does not change.
  const auto anew = [&](const std::string& head) {
    return "WAIT: " + head + " " + kRead + "bra WAIT;\n" + behind("%r3, 8");
  };
  CHECK_FALSE(decides(anew("mov.u32 %r3, 8;")));
  CHECK_FALSE(decides(anew("mov.u32 %r4, 7; add.u32 %r3, %r4, 1;")));
  CHECK(decides(anew("add.u32 %r3, %r4, 1; mov.u32 %r4, 7;")));
  CHECK(decides("mov.u32 %r3, 9; bra READ;\nWAIT: mov.u32 %r3, 8;\nREAD: " + kRead + "bra WAIT;\n" +
                behind("%r3, 8")));
}

TEST_CASE("a read of another location is another wait, though nothing stands between") {
  const std::string each =
      "mov.u64 %rd5, %rd1; mov.u32 %r3, 0;\n"
      "NEXT: ld.acquire.gpu.global.u32 %r2, [%rd5+1024]; setp.eq.u32 %p2, %r2, 0; @%p2 bra NEXT;\n"
      "add.u64 %rd5, %rd5, 4; add.u32 %r3, %r3, 1; setp.lt.u32 %p3, %r3, 2; @%p3 bra NEXT;";
  CHECK_FALSE(decides(each));
  // How far it goes rests on what was read.
  CHECK(decides(each + "\nsetp.eq.u32 %p4, %r2, 1; @%p4 bra END; st.global.u32 [%rd1], %r2; END:"));
}

TEST_CASE("an exchange behind a loop is none of its turns") {
  CHECK_FALSE(
      decides("WAIT: ld.acquire.gpu.global.u32 %r2, [%rd1+1024]; setp.eq.u32 %p2, %r2, 0; @%p2 bra WAIT;\n"
              "shfl.sync.idx.b32 %r4, %r2, 0, 31, 1; add.u64 %rd4, %rd1, 4; st.global.u32 [%rd4], %r4;"));
}

/// The instructions that begin the loops around the one that begins with this text; "?": not known.
std::string loops_around(const std::string& body, const std::string& text) {
  const Ran ran(body, "1");
  std::string out;
  for (trace::Site site = 0; site < ran.run->sites(); ++site) {
    if (!ran.run->instruction(site).text.starts_with(text)) continue;
    const auto loops = ran.run->loops_around(site);
    if (!loops) return "?";
    for (const trace::Site head : *loops) out += ran.run->instruction(head).text.substr(0, 3) + " ";
  }
  return out;
}

TEST_CASE("the loops around an instruction, the outermost first") {
  const std::string nest =
      "mov.u32 %r3, 0; OUT: mul.lo.u32 %r4, %r3, 2; mov.u32 %r5, 0; IN: sub.u32 %r6, %r5, 1; add.u32 %r5, %r5, 1; "
      "setp.lt.u32 %p2, %r5, 2; @%p2 bra IN; add.u32 %r3, %r3, 1; setp.lt.u32 %p3, %r3, 2; @%p3 bra OUT; "
      "xor.b32 %r7, %r3, 1;";
  CHECK(loops_around(nest, "sub.u32") == "mul sub ");
  CHECK(loops_around(nest, "mul.lo") == "mul ");
  CHECK(loops_around(nest, "xor.b32") == "");
}

TEST_CASE("iterations of a loop that is entered at two places are not counted") {
  const std::string two =
      "mov.u32 %r3, 0; setp.eq.u32 %p4, %r1, 5; @%p4 bra MIDDLE; TOP: add.u32 %r3, %r3, 1; MIDDLE: mul.lo.u32 %r4, %r3, 2; "
      "setp.lt.u32 %p2, %r3, 2; @%p2 bra TOP;";
  CHECK(loops_around(two, "mul.lo") == "?");
}

TEST_CASE("a loop that lets time pass decides what its registers hold, and no more") {
  const auto decides_behind = [](const std::string& turn, const std::string& leaves,
                                 const std::string& behind) {
    const Ran ran(
        "mov.u32 %r2, %clock; mov.u32 %r4, 0;\nWAIT: mov.u32 %r3, %clock; sub.u32 %r3, %r3, %r2;\n" + turn +
            leaves + " @%p1 bra WAIT;\n" + behind + " DONE:",
        "32");
    CHECK(ran.outcome.end == End::finished);
    return !ran.outcome.decisions.empty();
  };
  const std::string later = "setp.lt.u32 %p1, %r3, 20;", count = "add.u32 %r4, %r4, 1;\n";
  CHECK_FALSE(decides_behind("", later, "st.global.u32 [%rd3], 1;"));
  CHECK_FALSE(decides_behind(count, later, "st.global.u32 [%rd3], %r4;"));
  CHECK_FALSE(decides_behind("nanosleep.u32 1;\n", later, "st.global.u32 [%rd3], 1;"));
  // How many turns there were, and how much time is over.
  CHECK(decides_behind(count, later, "setp.gt.u32 %p2, %r4, 2; @%p2 bra DONE; st.global.u32 [%rd3], 1;"));
  CHECK(decides_behind("", later, "setp.gt.u32 %p2, %r3, 90; @%p2 bra DONE; st.global.u32 [%rd3], 1;"));
  // It need not end; it does more than that.
  CHECK(decides_behind("", "and.b32 %r5, %r3, 1; setp.eq.u32 %p1, %r5, 1;", ""));
  CHECK(decides_behind("st.global.u32 [%rd3], 1;\n", later, ""));
  CHECK(decides_behind("bar.warp.sync 0xffffffff;\n", later, ""));
}

}  // namespace
}  // namespace ptxmc::exec

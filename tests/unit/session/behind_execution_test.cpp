// SPDX-License-Identifier: Apache-2.0
// A read may take what is written behind it, where only the order of execution says that the write comes later (8.9.5).
#include <doctest/doctest.h>

#include <memory>
#include <string>

#include "dynamic/claim/claim.h"
#include "input/litmus/parse.h"
#include "session/verify.h"

namespace ptxmc::session {
namespace {

using claim::Verdict;

struct Thread {
  std::string place, code;
};

/// The claim about two threads, with memory beside `x = 0`, the flag that they read and write, and `d = 0`, their data.
Verdict verdict_of(const std::string& memory, const Thread& first, const Thread& second) {
  const auto text_of = [](const std::string& name, const Thread& thread) {
    return name + " @ " + thread.place + " {\n.reg .u32 %r<9>;\n.reg .pred %p, %q;\n" + thread.code + "}\n";
  };
  explore::VerificationTask task;
  task.test = litmus::parse(std::make_shared<const Source>(
      Source{"t.litmus", "PTX T\n{\n.global .u32 x = 0;\n.global .u32 d = 0;\n" + memory + "}\n" +
                             text_of("P0", first) + text_of("P1", second) + "exists (true)\n"}));
  VerifySettings settings;
  settings.steps = 100'000;
  return claim_of(verify(task, settings)->verified).verdict;
}

const std::string kLook = "ld.relaxed.gpu.global.u32 %r1, [x];\nsetp.eq.u32 %p, %r1, 1;\n",
                  kStore = "@%p st.weak.global.u32 [d], 1;\n", kFlag = "st.relaxed.gpu.global.u32 [x], 1;\n",
                  kData = "st.weak.global.u32 [d], 2;\n";

TEST_CASE("a vote is no order of memory, a barrier of the warp is one") {
  const auto judged = [](const std::string& meet) {
    return verdict_of("", {"cta 0, warp 0, lane 0", kLook + meet + kStore},
                      {"cta 0, warp 0, lane 1", "setp.eq.u32 %p, 0, 1;\n" + meet + kFlag + kData});
  };
  CHECK(judged("vote.sync.any.pred %q, %p, 3;\n") != Verdict::proven);
  CHECK(judged("bar.warp.sync 3;\n") == Verdict::proven);
}

TEST_CASE("nor is a relaxed arrival at the barrier of the cluster") {
  const auto judged = [](const std::string& arrive) {
    const std::string meet = "barrier.cluster.arrive" + arrive + ";\nbarrier.cluster.wait;\n";
    return verdict_of("", {"cta 0, cluster 0", kLook + meet + kStore},
                      {"cta 1, cluster 0", meet + kFlag + kData});
  };
  CHECK(judged(".relaxed") != Verdict::proven);
  CHECK(judged("") == Verdict::proven);
}

TEST_CASE("a relaxed arrival tells the others nothing, though these arrive by default") {
  const auto judged = [](const std::string& arrive) {
    const std::string wait = "barrier.cluster.wait;\n";
    return verdict_of(
        "",
        {"cta 0, cluster 0",
         "ld.relaxed.gpu.global.u32 %r1, [d];\n" + kFlag + "barrier.cluster.arrive" + arrive + ";\n" + wait},
        {"cta 1, cluster 0", "barrier.cluster.arrive;\n" + wait +
                                 "ld.relaxed.gpu.global.u32 %r1, [x];\nsetp.eq.u32 %p, %r1, 0;\n" + kStore});
  };
  CHECK(judged(".relaxed") != Verdict::proven);
  CHECK(judged("") == Verdict::proven);
}

TEST_CASE("an exit is no arrival: what the thread did is not ordered before the barrier") {
  const std::string waits =
      "barrier.sync 0;\nst.relaxed.cta.shared.u32 [f], 1;\nL:\nld.relaxed.cta.shared.u32 %r1, [f];\n"
      "setp.ne.u32 %p, %r1, 1;\n@%p bra L;\n";
  const std::string adds = "red.relaxed.cta.shared.add.u32 [f], 1;\n", memory = ".shared .u32 f = 0;\n";
  CHECK(verdict_of(memory, {"cta 0, warp 0", adds}, {"cta 0, warp 1", waits}) != Verdict::proven);
  CHECK(verdict_of(memory, {"cta 0, warp 0", adds + "barrier.sync 0;\n"}, {"cta 0, warp 1", waits}) ==
        Verdict::proven);
}

TEST_CASE("a barrier or an exchange that waited for an exit knows that the loop before it has been left") {
  const std::string polls =
                        "red.relaxed.cta.shared.add.u32 [f], 1;\nL:\nld.acquire.cta.shared.u32 %r1, [f];\n"
                        "setp.ne.u32 %p, %r1, 1;\n@%p bra L;\n",
                    overwrites = "st.release.cta.shared.u32 [f], 2;\n", memory = ".shared .u32 f = 0;\n";
  const auto judged = [&](const std::string& waits) {
    return verdict_of(memory, {"cta 0, warp 0", waits + overwrites}, {"cta 0, warp 1", polls});
  };
  CHECK(judged("") == Verdict::violated);
  CHECK(judged("barrier.sync 0;\n") != Verdict::violated);
  CHECK(judged("barrier.sync 0, 32;\n") == Verdict::violated);
  CHECK(judged("barrier.cluster.arrive;\nbarrier.cluster.wait;\n") != Verdict::violated);
  CHECK(verdict_of(memory, {"cta 0, warp 0, lane 0", "shfl.sync.idx.b32 %r1, 1, 0, 31, 3;\n" + overwrites},
                   {"cta 0, warp 0, lane 1", polls}) != Verdict::violated);
  CHECK(verdict_of(memory, {"cta 0, warp 0", "barrier.sync 0;\n" + overwrites},
                   {"cta 0, warp 1", "barrier.arrive 0, 64;\n" + polls}) == Verdict::violated);
}

TEST_CASE(
    "what decides whether a thread exits is read before others pass the barrier that waits for the exit (exit-order)") {
  const auto judged = [](const std::string& guard) {
    return verdict_of("",
                      {"cta 0, warp 0", "ld.weak.global.u32 %r1, [x];\nsetp.ne.u32 %p, %r1, 0;\n" + guard +
                                            "barrier.sync 0;\n"},
                      {"cta 0, warp 1", "barrier.sync 0;\nst.weak.global.u32 [x], 1;\n"});
  };
  CHECK(judged("@%p exit;\n") == Verdict::proven);
  CHECK(judged("selp.u32 %r2, 1, 2, %p;\n") == Verdict::proven);
}

TEST_CASE("a loop in front of a read may be left by what the flag held at first") {
  const auto judged = [](const std::string& first) {
    const std::string loop = "L:\nld.relaxed.cta.shared.u32 %r1, [f];\nsetp.lt.u32 %p, %r1, 1;\n@%p bra L;\n",
                      look =
                          "ld.acquire.cta.shared.u32 %r1, [f];\nsetp.eq.u32 %p, %r1, 0;\n@!%p "
                          "ld.weak.global.u32 %r2, [d];\n";
    return verdict_of(".shared .u32 f" + first + ";\n",
                      {"cta 0, warp 0", kData + "st.release.cta.shared.u32 [f], 1;\n"},
                      {"cta 0, warp 1", loop + look});
  };
  CHECK(judged("") != Verdict::proven);
  CHECK(judged(" = 0") == Verdict::proven);
}

TEST_CASE(
    "threads of a litmus test may be active together at an activemask, though one executes something else") {
  const auto judged = [](const std::string& mask, const std::string& lanes) {
    return verdict_of("", {"cta 0, warp 0, lane 0", "ld.weak.global.u32 %r1, [d];\n"},
                      {"cta 0, warp 0, lane 1", mask + "setp.eq.u32 %p, %r1, " + lanes + ";\n" + kStore});
  };
  CHECK(judged("activemask.b32 %r1;\n", "3") == Verdict::violated);
  CHECK(judged("activemask.b32 %r1;\n", "2") == Verdict::violated);
  CHECK(judged("mov.u32 %r1, 1;\n", "3") == Verdict::proven);
}

}  // namespace
}  // namespace ptxmc::session

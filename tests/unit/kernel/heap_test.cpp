// SPDX-License-Identifier: Apache-2.0
// malloc and free of device code: objects whose places and contents are unknown, and what becomes of them.
#include "dynamic/exec/heap.h"

#include <string>

#include "dynamic/shadow/detector.h"
#include "ran.h"

namespace ptxmc::exec {
namespace {

/// As a kernel calls them: of an operand, into %rd4; and of %rd4.
std::string allocates(const std::string& bytes) {
  return "{ .param .b64 a; .param .b64 r; st.param.b64 [a], " + bytes +
         "; call.uni (r), malloc, (a); ld.param.b64 %rd4, [r]; }\n";
}
std::string frees(const std::string& pointer = "%rd4") {
  return "{ .param .b64 a; st.param.b64 [a], " + pointer + "; call.uni free, (a); }\n";
}

constexpr const char* kDeclared =
    ".extern .func (.param .b64 r) malloc (.param .b64 a);\n.extern .func free (.param .b64 a);\n";

/// What the run says: sources of decisions, faults, and whether anything races.
std::string told_heap(const std::string& body, const std::string& block = "1") {
  Ran ran(body, block, kDeclared);
  std::string out;
  const auto add = [&](std::string_view word) { out += (out.empty() ? "" : " ") + std::string(word); };
  Sources sources = 0;
  for (const Decision& decision : ran.outcome.decisions) sources |= decision.sources;
  if ((sources & bit(Source::data)) != 0) add("data");
  if ((sources & bit(Source::place)) != 0) add("places");
  if ((sources & bit(Source::machine)) != 0) add("machine");
  for (const Fault& fault : ran.outcome.faults) {
    if (fault.guessed) add("guessed");
    add(name_of(fault.rule));
  }
  trace::Detector detector;
  Run(ran.program, &detector).run({});
  for (const trace::Finding& finding : detector.findings()) add(finding::name_of(finding.rule));
  return out;
}

TEST_CASE("memory of malloc is written, read and freed") {
  CHECK(told_heap(allocates("64") + "st.u32 [%rd4+60], 7; ld.u32 %r2, [%rd4+60];" + frees(), "32").empty());
  Ran ran(
      allocates("16") + "st.v2.u64 [%rd4], {%rd3, %rd2}; ld.u64 %rd5, [%rd4]; st.u32 [%rd5], 7;" + frees(),
      "32", kDeclared);
  CHECK(ran.outcome.faults.empty());
  CHECK(ran.out(31) == 7);
}

TEST_CASE("each allocation is an object, of the bytes that were asked for") {
  CHECK(told_heap(allocates("64") + "st.u32 [%rd4+64], 7;") == "out-of-bounds");
  CHECK(told_heap(allocates("64") + "st.u32 [%rd4+-4], 7;") == "out-of-bounds");
  CHECK(told_heap(allocates("6") + "st.u32 [%rd4+4], 7;") == "out-of-bounds");
  CHECK(
      told_heap("add.u64 %rd5, %rd2, 4;" + allocates("%rd5") + "add.u64 %rd6, %rd4, %rd2; st.u32 [%rd6], 7;",
                "32")
          .empty());
  CHECK(told_heap(allocates("%rd2") + "add.u64 %rd6, %rd4, %rd2; st.u32 [%rd6], 7;", "2") ==
        "machine out-of-bounds");  // one of 0 bytes
}

TEST_CASE("first contents and places are unknown; the address is aligned to 16 bytes and not null") {
  CHECK(told_heap(allocates("64") + "ld.u32 %r2, [%rd4]; setp.eq.u32 %p1, %r2, 0; @%p1 bar.sync 0;") ==
        "data");
  CHECK(told_heap(allocates("64") + "setp.eq.u64 %p1, %rd4, 0; @%p1 trap;").empty());
  CHECK(told_heap(allocates("64") + "and.b64 %rd5, %rd4, 15; setp.ne.u64 %p1, %rd5, 0; @%p1 bar.sync 0;")
            .empty());
  CHECK(told_heap(allocates("64") + "and.b64 %rd5, %rd4, 16; setp.ne.u64 %p1, %rd5, 0; @%p1 bar.sync 0;") ==
        "places");
  CHECK(told_heap(allocates("64") + "mov.u64 %rd5, %rd4;" + frees() + allocates("64") +
                  "setp.eq.u64 %p1, %rd4, %rd5; @%p1 bar.sync 0;") == "places");  // it may lie there again
}

TEST_CASE("sizes that rest on contents, that are 0 or that are large leave the claim open") {
  CHECK(told_heap(allocates("64") + "ld.u64 %rd5, [%rd4];" + allocates("%rd5") + "st.u32 [%rd4], 7;") ==
        "data machine guessed out-of-bounds");
  CHECK(told_heap(allocates("0")) == "machine");
  CHECK(told_heap(allocates("0") + "st.u32 [%rd4], 7;") == "machine out-of-bounds");
  CHECK(told_heap(allocates("0x1000000000")) == "data machine");
}

TEST_CASE("nothing is accessed behind its free, and nothing is freed twice") {
  CHECK(told_heap(allocates("64") + frees() + "ld.u32 %r2, [%rd4];") == "out-of-bounds");
  CHECK(told_heap(allocates("64") + frees() + frees()) == "bad-operand");
  CHECK(told_heap(allocates("64") + "add.u64 %rd4, %rd4, 16;" + frees()) == "bad-operand");
  CHECK(told_heap(frees("%rd3")) == "bad-operand");
  CHECK(told_heap("mov.u64 %rd4, 0;" + frees()).empty());
}

/// Thread 0 leaves its pointer in shared memory; `body` is done by all threads with that pointer in %rd5.
std::string handed(const std::string& body) {
  return ".shared .align 8 .b64 s; setp.eq.u32 %p2, %r1, 0; @!%p2 bra after;\n" + allocates("64") +
         "st.shared.u64 [s], %rd4; after: bar.sync 0; ld.shared.u64 %rd5, [s];\n" + body;
}

TEST_CASE("a free is ordered behind the accesses of other threads") {
  const std::string reads = "@%p2 st.u32 [%rd5], 1; bar.sync 0; ld.u32 %r3, [%rd5+0];";
  CHECK(told_heap(handed(reads + "bar.sync 0; @!%p2 bra done;" + frees("%rd5") + "done:"), "64").empty());
  CHECK(told_heap(handed(reads + "@!%p2 bra done;" + frees("%rd5") + "done:"), "64").find("race") !=
        std::string::npos);
}

}  // namespace
}  // namespace ptxmc::exec

// SPDX-License-Identifier: Apache-2.0
// Stores of values that rest on contents which a launch leaves open: equal in all executions, or not known to be.
#include <set>
#include <string>

#include "../launch/launched.h"
#include "dynamic/exec/run.h"
#include "dynamic/shadow/detector.h"
#include "ran.h"

namespace ptxmc::exec {
namespace {

/// What is found where each of 64 threads, the words of whose input are open, executes the body. %rd1 is the input, of
/// which %rd3 is its own word; %rd4 is a word that is zero at first; %r1 is the thread.
std::string found(const std::string& body, bool follows = true, const std::string& grid = "1") {
  Words words;
  words.grid = grid;
  words.block = "64";
  words.arguments = {"in=buffer:4K", "out=buffer:4K:zero"};
  const program::Program program = launch::launched(
      ".param .u64 p, .param .u64 q",
      ".reg .b32 %r<30>; .reg .b64 %rd<20>; .reg .pred %p<9>; .reg .f32 %f<9>; .reg .b16 %rs<9>; .reg .f64 "
      "%d<5>;\n"
      ".shared .align 16 .b8 s[256];\n"
      "ld.param.u64 %rd1, [p]; ld.param.u64 %rd4, [q]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4;\n"
      "add.u64 %rd3, %rd1, %rd2; shr.u32 %r2, %r1, 5;\n" +
          body + "\nret;",
      words, "");
  trace::Detector detector;
  Run run(program, &detector);
  Options options;
  options.terms = follows;
  run.run(options);
  std::set<std::string> rules;
  for (const trace::Finding& finding : detector.findings()) rules.insert(std::string(name_of(finding.rule)));
  std::string out;
  for (const std::string& rule : rules) out += (out.empty() ? "" : " ") + rule;
  return out;
}

const std::string kStoreTerm = "st.global.u32 [%rd4], %r9;\n";

TEST_CASE("one word that all load is one value, if terms are followed") {
  const std::string body = "ld.global.u32 %r9, [%rd1+8];\n" + kStoreTerm;
  CHECK(found(body) == "equal-bytes");
  CHECK(found(body, false) == "race");
  CHECK(found(body, true, "2") == "equal-bytes race");  // of two thread blocks
  CHECK(found("ld.global.u32 %r9, [%rd3];\n" + kStoreTerm) == "race");
  CHECK(found("ld.global.u16 %rs1, [%rd1]; ld.global.u16 %rs2, [%rd1+2]; mov.b32 %r9, {%rs1, %rs2};\n" +
              kStoreTerm) == "equal-bytes");
}

TEST_CASE("equal operations on equal values give equal values") {
  const std::string load = "ld.global.u32 %r3, [%rd1]; ld.global.f32 %f1, [%rd1+4];\n";
  // Evaluated, or not.
  CHECK(found(load + "mad.lo.u32 %r9, %r3, 3, 5;\n" + kStoreTerm) == "equal-bytes");
  CHECK(found(load + "ex2.approx.f32 %f2, %f1; mov.b32 %r9, %f2;\n" + kStoreTerm) == "equal-bytes");
  CHECK(found(load + "ex2.approx.f32 %f2, %f1; setp.gt.f32 %p1, %f2, %f1; selp.b32 %r9, %r3, 7, %p1;\n" +
              kStoreTerm) == "equal-bytes");
  // An operand that differs from warp to warp, or a function that does.
  CHECK(found(load + "mad.lo.u32 %r9, %r3, 3, %r2;\n" + kStoreTerm) == "equal-bytes race");
  const std::string either =
      "setp.eq.u32 %p1, %r2, 0; @%p1 bra LESS; add.rn.f32 %f2, %f1, %f1; bra BOTH;\nLESS: ";
  const std::string both = "\nBOTH: mov.b32 %r9, %f2;\n" + kStoreTerm;
  CHECK(found(load + either + "sub.rn.f32 %f2, %f1, %f1;" + both) == "equal-bytes race");
  CHECK(found(load + either + "add.rn.f32 %f2, %f1, %f1;" + both) == "equal-bytes");
  CHECK(found(load + either + "add.rz.f32 %f2, %f1, %f1;" + both) == "equal-bytes race");
}

TEST_CASE("factors and summands change places, minuends do not, and of 64-bit floats neither (9.7.3)") {
  const auto swapped = [](const std::string& operation, const std::string& type) {
    const std::string kind = type == "f64" ? "%d" : type == "f32" ? "%f" : "%r";
    const std::string a = kind + "1", b = kind + "2", c = kind + "3";
    const std::string at = type == "f64" ? "8" : "4";
    return found("ld.global." + type + " " + a + ", [%rd1]; ld.global." + type + " " + b + ", [%rd1+" + at +
                 "]; setp.eq.u32 %p1, %r2, 0;\n@%p1 bra LESS; " + operation + "." + type + " " + c + ", " +
                 a + ", " + b + "; bra BOTH;\nLESS: " + operation + "." + type + " " + c + ", " + b + ", " +
                 a + ";\nBOTH: st.global." + type + " [%rd4], " + c + ";\n");
  };
  CHECK(swapped("add", "f32") == "equal-bytes");
  CHECK(swapped("mul", "f32") == "equal-bytes");
  CHECK(swapped("max", "f32") == "equal-bytes");
  CHECK(swapped("sub", "f32") == "equal-bytes race");
  CHECK(swapped("add", "f64") == "equal-bytes race");
}

TEST_CASE("a sum of a warp by butterfly is one value, by shifts down it is not") {
  const auto sum = [](const std::string& mode, const std::string& clamp) {
    std::string body =
        "and.b32 %r4, %r1, 31; mul.wide.u32 %rd5, %r4, 4; add.u64 %rd6, %rd1, %rd5;\n"
        "ld.global.f32 %f1, [%rd6];\n";
    for (const char* by : {"16", "8", "4", "2", "1"})
      body += "mov.b32 %r5, %f1; shfl.sync." + mode + ".b32 %r6, %r5, " + by + ", " + clamp +
              ", 0xffffffff; mov.b32 %f2, %r6; add.f32 %f1, %f1, %f2;\n";
    return found(body + "mov.b32 %r9, %f1;\n" + kStoreTerm);
  };
  CHECK(sum("bfly", "31") == "equal-bytes");
  CHECK(sum("down", "31") == "race");
  CHECK(
      found(
          "ld.global.u32 %r3, [%rd3]; shfl.sync.idx.b32 %r9, %r3, 0, 31, 0xffffffff; add.u64 %rd5, %rd4, 4;\n"
          "mul.wide.u32 %rd6, %r2, 8; add.u64 %rd4, %rd5, %rd6;\n" +
          kStoreTerm) == "equal-bytes");
}

TEST_CASE("what all lanes get is one value") {
  const std::string own = "mul.wide.u32 %rd6, %r2, 8; add.u64 %rd4, %rd4, %rd6; ld.global.u32 %r3, [%rd3];\n";
  CHECK(found(own + "redux.sync.add.u32 %r9, %r3, 0xffffffff;\n" + kStoreTerm) == "equal-bytes");
  CHECK(found(own + "setp.ne.u32 %p1, %r3, 0; vote.sync.ballot.b32 %r9, %p1, 0xffffffff;\n" + kStoreTerm) ==
        "equal-bytes");
  CHECK(found(own + "match.any.sync.b32 %r9, %r3, 0xffffffff;\n" + kStoreTerm) == "race");
}

TEST_CASE("a value of which nothing is known is one value in all its copies") {
  // Which element of a matrix a lane holds, nobody says.
  const std::string fragment =
      "mul.wide.u32 %rd6, %r2, 8; add.u64 %rd4, %rd4, %rd6;\n"
      "wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r5, %r10, %r11, %r12, %r13, %r14, %r15, %r16}, "
      "[%rd1];\n";
  CHECK(found(fragment + "shfl.sync.idx.b32 %r9, %r5, 0, 31, 0xffffffff;\n" + kStoreTerm) == "equal-bytes");
  CHECK(found(fragment + "shfl.sync.idx.b32 %r6, %r5, 0, 31, 0xffffffff; mad.lo.u32 %r9, %r6, 3, %r6;\n" +
              kStoreTerm) == "equal-bytes");
  CHECK(found(fragment + "mov.u32 %r9, %r5;\n" + kStoreTerm) == "race");
  // The first lane has its own, and the second one the same.
  CHECK(found(fragment + "shfl.sync.up.b32 %r9, %r5, 1, 0, 0xffffffff;\n" + kStoreTerm) ==
        "equal-bytes race");
}

TEST_CASE("rows of a matrix that two warps store") {
  const auto stored = [](const std::string& value, const std::string& form) {
    return found(
        "mov.u32 %r4, s; and.b32 %r5, %r1, 7; mad.lo.u32 %r4, %r5, 16, %r4; and.b32 %r6, %r1, 31;\n"
        "mul.wide.u32 %rd5, %r6, 4; add.u64 %rd6, %rd1, %rd5; ld.global.u32 %r3, [%rd6];\n" +
        value + "stmatrix.sync.aligned.m8n8.x1" + form + ".shared.b16 [%r4], {%r9};");
  };
  for (const char* form : {"", ".trans"}) {
    CHECK(stored("add.u32 %r9, %r3, 5;\n", form) == "equal-bytes");
    CHECK(stored("mov.u32 %r9, 5;\n", form) == "equal-bytes");
    CHECK(stored("mov.u32 %r9, %r6;\n", form) == "equal-bytes");
    CHECK(stored("add.u32 %r9, %r3, %r2;\n", form) == "race");
    CHECK(stored("mad.lo.u32 %r9, %r2, 65537, %r6;\n", form) == "race");
    // One element of one row.
    CHECK(stored("setp.eq.u32 %p1, %r1, 37; selp.b32 %r9, 7, 5, %p1;\n", form) == "equal-bytes race");
  }
}

TEST_CASE("values go through memory, whole, in parts and by copies") {
  const std::string meet = "bar.sync 0;\n";
  const std::string load = "mov.u32 %r4, s; setp.eq.u32 %p1, %r1, 0; ld.global.u32 %r3, [%rd1+4];\n";
  CHECK(found(load + "@%p1 st.shared.u32 [%r4], %r3;\n" + meet + "ld.shared.u32 %r9, [%r4];\n" +
              kStoreTerm) == "equal-bytes");
  // What thread 0 has kept is what the others load.
  CHECK(found(load + "@%p1 st.shared.u32 [%r4], %r3;\n" + meet +
              "mov.u32 %r9, %r3; @!%p1 ld.shared.u32 %r9, [%r4];\n" + kStoreTerm) == "equal-bytes");
  CHECK(found(load + "@%p1 st.shared.u8 [%r4+1], %r3;\n" + meet + "ld.shared.u32 %r9, [%r4];\n" +
              kStoreTerm) == "equal-bytes");
  CHECK(found(load + "@%p1 cp.async.ca.shared.global [%r4], [%rd1+4], 4; cp.async.wait_all;\n" + meet +
              "mov.u32 %r9, %r3; @!%p1 ld.shared.u32 %r9, [%r4];\n" + kStoreTerm) == "equal-bytes");
  CHECK(found(load + "@%p1 cp.async.ca.shared.global [%r4], [%rd1+8], 4; cp.async.wait_all;\n" + meet +
              "mov.u32 %r9, %r3; @!%p1 ld.shared.u32 %r9, [%r4];\n" + kStoreTerm) == "equal-bytes race");
  // An atomic has put something else there.
  CHECK(found(load + "@%p1 st.shared.u32 [%r4], %r3;\n" + meet + "@%p1 atom.shared.add.u32 %r5, [%r4], 1;\n" +
              meet + "mov.u32 %r9, %r3; @!%p1 ld.shared.u32 %r9, [%r4];\n" + kStoreTerm) == "race");
}

TEST_CASE("what data decides to compute, or timing decides, is not one value") {
  const std::string load = "ld.global.u32 %r3, [%rd1]; ld.global.u32 %r4, [%rd3]; setp.ne.u32 %p1, %r4, 0;\n";
  CHECK(found(load + "mov.u32 %r9, %r3; @%p1 add.u32 %r9, %r3, 1;\n" + kStoreTerm) == "race");
  CHECK(found(load + "mov.u32 %r9, %r3; @!%p1 add.u32 %r9, %r3, 1;\n" + kStoreTerm) == "race");
  CHECK(found(load + "mov.u32 %r5, %clock; add.u32 %r9, %r3, %r5;\n" + kStoreTerm) == "race");
  CHECK(found("atom.global.add.u32 %r9, [%rd1], 1;\n" + kStoreTerm) == "race");
}

TEST_CASE("products of equal fragments are equal, element by element") {
  const auto product = [](const std::string& last) {
    return found(
        "and.b32 %r4, %r1, 31; mul.wide.u32 %rd5, %r4, 4; add.u64 %rd6, %rd1, %rd5;\n"
        "ld.global.u32 %r10, [%rd6]; ld.global.u32 %r11, [%rd6+128]; ld.global.u32 %r12, " +
        last +
        ";\n"
        "mov.f32 %f1, 0f00000000;\n"
        "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f2, %f3, %f4, %f5}, {%r10, %r11}, {%r12}, "
        "{%f1, %f1, %f1, %f1};\n"
        "mul.wide.u32 %rd7, %r4, 4; add.u64 %rd4, %rd4, %rd7; mov.b32 %r9, %f3;\n" +
        kStoreTerm);
  };
  CHECK(product("[%rd6+256]") == "equal-bytes");
  CHECK(product("[%rd3+256]") == "race");
}

}  // namespace
}  // namespace ptxmc::exec

// SPDX-License-Identifier: Apache-2.0
// Vectors of registers (5.4.2, 6.4.3), moves of vectors, and stores that leave out elements (9.7.8.11).
#include "ran.h"

namespace ptxmc::exec {
namespace {

TEST_CASE("components of a vector of registers, by either of their names") {
  const Ran ran(
      ".reg .v4 .u32 %v; .reg .v2 .f32 %w<2>;\n"
      "mov.u32 %v.x, 1; mov.u32 %v.g, 2; mov.u32 %v.z, 3; mov.u32 %v.a, 4;\n"
      "st.global.v4.u32 [%rd1], %v; st.global.u32 [%rd1+16], %v.w; st.global.u32 [%rd1+20], %v.r;\n"
      "mov.f32 %w1.x, 0f3F800000; add.f32 %w1.y, %w1.x, %w1.x; mov.b64 %rd4, %w1; st.global.b64 [%rd1+24], %rd4;\n"
      "ld.global.v2.f32 %w0, [%rd1+24]; st.global.f32 [%rd1+32], %w0.y;",
      "1");
  REQUIRE(ran.outcome.faults.empty());
  const std::uint64_t expected[] = {1, 2, 3, 4, 4, 1, 0x3f800000, 0x40000000, 0x40000000};
  for (std::uint32_t i = 0; i < std::size(expected); ++i) CHECK(ran.out(i) == expected[i]);
}

TEST_CASE("a move of vectors moves all elements at once (9.7.8.4)") {
  const Ran ran(
      ".reg .v4 .u32 %v;\n"
      "mov.v4.u32 %v, {1, 2, 3, 4}; mov.v4.u32 %v, {%v.y, %v.x, %v.w, %v.z}; st.global.v4.u32 [%rd1], %v;\n"
      "mov.v2.b32 {%r2, _}, {5, 6}; st.global.u32 [%rd1+16], %r2;",
      "1");
  REQUIRE(ran.outcome.faults.empty());
  const std::uint64_t expected[] = {2, 1, 4, 3, 5};
  for (std::uint32_t i = 0; i < std::size(expected); ++i) CHECK(ran.out(i) == expected[i]);
}

TEST_CASE("a special register is a vector of four, of which the last element is zero (10)") {
  const Ran ran(
      "mov.v4.u32 {%r2, %r3, %r4, %r5}, %tid; mad.lo.u32 %r6, %r3, 2, %r2; mul.wide.u32 %rd4, %r6, 16;\n"
      "add.u64 %rd4, %rd4, %rd1; st.global.v4.u32 [%rd4], {%r2, %r3, %r4, %r5};\n"
      "mov.v4.u16 {%rs0, %rs1, _, _}, %ntid; cvt.u32.u16 %r7, %rs1; st.global.u32 [%rd1+128], %r7;",
      "2,3");
  REQUIRE(ran.outcome.faults.empty());
  CHECK(ran.out(20) == 1);  // of thread (1, 2)
  CHECK(ran.out(21) == 2);
  CHECK(ran.out(22) == 0);
  CHECK(ran.out(23) == 0);
  CHECK(ran.out(32) == 3);
}

TEST_CASE("a store of 32 bytes writes the elements that are no `_`") {
  const Ran ran(
      "mov.u32 %r2, 7; mov.u64 %rd4, 9;\n"
      "st.global.v8.b32 [%rd1], {%r2, _, 5, _, %r2, %r2, _, 6}; st.global.v4.b64 [%rd1+32], {_, %rd4, _, 8};",
      "1");
  REQUIRE(ran.outcome.faults.empty());
  const std::uint64_t expected[] = {7, 0, 5, 0, 7, 7, 0, 6, 0, 0, 9, 0, 0, 0, 8, 0};
  for (std::uint32_t i = 0; i < std::size(expected); ++i) CHECK(ran.out(i) == expected[i]);
}

std::string wrong(const std::string& code) {
  try {
    const Ran ran(code, "1");
  } catch (const InputError& error) {
    return error.diagnostics().front().message;
  }
  return "";
}

TEST_CASE("what is wrong with vectors") {
  CHECK_EQ(wrong(".reg .v4 .b64 %v; mov.b64 %v.x, %rd2;"),
           "a vector of 4 registers of .b64 is larger than 128 bits");
  CHECK_EQ(wrong(".reg .v2 .pred %v; mov.pred %v.x, %p1;"), "expected a type such as .u32, found `.pred`");
  CHECK_EQ(wrong(".reg .v2 .u32 %v; mov.u32 %v.z, 1;"), "`.z` of a vector of 2 registers");
  CHECK_EQ(wrong(".reg .u32 %v; mov.u32 %v.x, 1;"), "`.x` of a register that is no vector");
  CHECK_EQ(wrong("mov.v2.u32 {%r2, %r3}, %tid;"), "`.v2` takes 2 elements, found 4");
  CHECK_EQ(wrong("mov.v2.u32 %r2, %r3;"), "`mov.v2` takes a vector: `{...}`, a register of .v2");
  CHECK_EQ(wrong("mov.u32 %r2, %tid;"), "`%tid` is a vector: name `%tid.x`, .y or .z");
  CHECK_NE(wrong("st.global.v4.b32 [%rd1], {%r2, _, %r2, _};"), "");
  CHECK_EQ(wrong("st.global.v8.b32 [%rd1], {_, _, _, _, _, _, _, _};"),
           "a vector of `_` alone stores nothing");
  CHECK_EQ(wrong("st.release.gpu.global.v4.b64 [%rd1], {%rd2, _, _, _};"),
           "`_` in a store with .release is not modelled");
}

}  // namespace
}  // namespace ptxmc::exec

// SPDX-License-Identifier: Apache-2.0
#include "ptx/text/body.h"

#include "helpers.h"

using namespace ptxmc;
using namespace ptxmc::ptx;
using ptxmc::ptx::testing::Read;
using Kind = Operand::Kind;

TEST_CASE("instructions and operands") {
  const Read r(
      "@!%p ld.global.v2.u32 {%r0, _}, [%rd1+4*2-8];\n"
      "setp.eq.u32 %p|q, %tid.x, -1; st.shared.f32 [x+-4], 0f3F800000; mov.u64 %rd, x+16;\n"
      "tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [t, s, {%f4, 1.5}];\n"
      "cp.async.bulk.tensor.2d.shared::cluster.global [%r1], [%rd2, {%r3, 4}], [%r5];\n"
      "ld.u32 %r0, a[%r1+4]; ld.u32 %r0, [x].unified; selp.b32 %r0, 1, (2), !%p; ld.local.u32 %r0, [64];\n"
      "call (%r0), f, (%r1, 5, x), proto; ret; mov.f32 %f0, %v.x;");
  CHECK_EQ(r.said(), "");
  REQUIRE_EQ(r.body.statements.size(), 13);
  const Instruction& ld = r.at<Instruction>(0);
  REQUIRE(ld.guard.has_value());
  CHECK(ld.guard_negated);
  CHECK_EQ(ld.guard->name, "p");
  CHECK_EQ(ld.base, "ld");
  CHECK(ld.words == std::vector<std::string_view>{"global", "v2", "u32"});
  CHECK(static_cast<Position>(ld.position) == Position{1, 1, 44});
  CHECK(r.operand(0, 0).kind == Kind::vector);
  CHECK(r.operand(0, 1).kind == Kind::address);
  CHECK_EQ(r.operand(0, 1).number, 0);
  CHECK(r.operand(1, 0).kind == Kind::pair);
  CHECK_EQ(r.operand(1, 1).name.name, "tid.x");
  CHECK_EQ(r.operand(1, 2).number, -1);
  CHECK_EQ(r.operand(2, 0).number, -4);
  CHECK(r.operand(2, 1).kind == Kind::floating);
  CHECK(r.operand(2, 1).single);
  CHECK(r.operand(3, 1).has_offset);
  CHECK_EQ(r.operand(4, 1).second.name, "s");
  CHECK_EQ(r.operand(4, 1).elements.size(), 2);
  CHECK_EQ(r.operand(5, 1).elements[1].number, 4);
  CHECK(r.operand(6, 1).kind == Kind::element);
  CHECK_EQ(r.operand(6, 1).elements[0].number, 4);
  CHECK(r.operand(7, 1).unified.has_value());
  CHECK(r.operand(8, 3).kind == Kind::negated);
  CHECK(r.operand(9, 1).name.name.empty());
  CHECK_EQ(r.operand(9, 1).number, 64);
  CHECK(r.operand(10, 0).kind == Kind::list);
  CHECK_EQ(r.operand(10, 2).elements.size(), 3);
  CHECK_EQ(r.operand(12, 1).name.name, "v.x");
}

TEST_CASE("directives of a body") {
  const Read r(
      ".reg .pred p, %q<3>; .reg .v4 .f32 %v; .shared .align 16 .b8 s[4][8]; .param .b8 .align 8 py[12];\n"
      ".loc 1 9 3, function_name info0+4, inlined_at 1 21 3\n.loc 2 7 0\nret;\n"
      ".pragma \"nounroll\", \"x\";\n"
      "ts: .branchtargets A, N<2>; pr: .callprototype (.param .b32 _) _ (.param .b8 _[12]) .noreturn;\n"
      ".section .debug_str { info0: .b8 95, 0x5a } A: N0: N1:");
  CHECK_EQ(r.said(), "");
  CHECK_EQ(r.at<Registers>(0).declarators[1].count, 3);
  CHECK_EQ(r.at<Registers>(1).type.vector, 4);
  const Variable& s = r.at<Variables>(2).variables[0];
  CHECK_EQ(s.space, "shared");
  CHECK_EQ(s.align, 16);
  CHECK(s.dimensions == std::vector<std::uint64_t>{4, 8});
  CHECK_EQ(r.at<Variables>(3).variables[0].align, 8);
  CHECK_EQ(r.at<Location>(4).inlined_at.line, 21);
  CHECK_EQ(r.at<Location>(4).function, "info0");
  CHECK_EQ(r.at<Location>(5).at.file, 2);
  CHECK_EQ(r.at<Pragma>(7).strings.size(), 2);
  CHECK_EQ(r.at<Targets>(9).names[2].name, "N1");
  CHECK_EQ(r.at<Targets>(9).names[2].scope, 0);
  CHECK(r.at<Prototype>(11).no_return);
  CHECK_EQ(r.at<Section>(12).text, " info0: .b8 95, 0x5a ");
}

TEST_CASE("a name means the innermost declaration above it") {
  const Read r(
      ".reg .b32 %t, %u, %w<4>;\n"
      "{ mov.b32 %t, %u; .reg .b32 %t, u; mov.b32 %t, u; { .reg .b32 %w<2>; mov.b32 %w1, %w3; } }\n"
      "mov.b32 %t, u;");
  CHECK_EQ(r.said(), "");
  REQUIRE_EQ(r.body.scopes.size(), 3);
  CHECK_EQ(r.body.scopes[2].parent, 1);
  CHECK_EQ(r.operand(1, 0).name.scope, 0);
  CHECK_EQ(r.operand(1, 0).name.name, "t");
  CHECK_EQ(r.operand(3, 0).name.scope, 1);
  CHECK_NE(r.operand(3, 0).name.name, "t");  // the outer one is t
  CHECK_EQ(r.operand(3, 0).name.name, r.at<Registers>(2).declarators[0].name.name);
  CHECK_NE(r.operand(3, 1).name.name, "u");  // without regard to the %
  CHECK_EQ(r.operand(5, 0).name.scope, 2);
  CHECK_EQ(r.operand(5, 0).name.name, r.at<Registers>(4).declarators[0].name.name + "1");
  CHECK_EQ(r.operand(5, 1).name.scope, 0);
  CHECK_EQ(r.operand(5, 1).name.name, "w3");
  CHECK_EQ(r.operand(6, 1).name.scope, kUndeclared);
  CHECK_EQ(r.operand(6, 1).name.name, "u");
}

TEST_CASE("names that no other has are kept; others are renamed to what is free") {
  const Read r("{ .reg .b32 a, b$7; { .reg .b32 c; mov.b32 c, a; } } { .reg .b32 c; mov.b32 c, 1; }");
  CHECK_EQ(r.operand(2, 1).name.name, "a");
  CHECK_EQ(r.operand(2, 0).name.name, "c$8");
  CHECK_EQ(r.operand(4, 0).name.name, "c$9");
}

TEST_CASE("a range and a name in it") {
  const Read r(
      "{ .reg .b32 %r<12>; mov.b32 %r11, %r2; } { .reg .b32 %r1<3>; mov.b32 %r11, %r2; } mov.b32 %r2, 1;");
  CHECK_NE(r.operand(1, 0).name.name, r.operand(3, 0).name.name);
  CHECK_EQ(r.operand(3, 0).name.scope, 2);
  CHECK_EQ(r.operand(3, 1).name.scope, kUndeclared);
  CHECK_NE(r.operand(1, 1).name.name, r.operand(4, 0).name.name);
}

TEST_CASE("a label is known in its block and those inside") {
  const Read r("bra L; { bra L; { bra L; bra M; } L: } L: { M: bra M; } bra M;");
  CHECK_EQ(r.said(), "");
  CHECK_EQ(r.operand(0, 0).name.name, "L");
  CHECK_EQ(r.operand(1, 0).name.scope, 1);
  CHECK_EQ(r.operand(1, 0).name.name, "L$1");
  CHECK_EQ(r.operand(2, 0).name.name, "L$1");
  CHECK_EQ(r.operand(3, 0).name.scope, kUndeclared);  // M is in another block
  CHECK_EQ(r.at<Label>(4).name.name, "L$1");
  CHECK_EQ(r.at<Label>(5).name.name, "L");
  CHECK_EQ(r.operand(7, 0).name.scope, 3);
  CHECK_EQ(r.operand(8, 0).name.scope, kUndeclared);
}

TEST_CASE("what a body refuses") {
  const auto said = [](const std::string& text) { return Read(text).said(); };
  CHECK_EQ(said(".reg .b32 %a; .reg .b32 %a;"),
           "1:25 register `a` is declared twice\n1:11 the first is here\n");
  CHECK_EQ(said(".reg .b32 %a<4>, %a2;"), "1:18 register `a2` is declared twice\n1:11 the first is here\n");
  CHECK_EQ(said(".reg .b32 %a<4>, %a<2>;"), "1:18 register `a0` is declared twice\n1:11 the first is here\n");
  CHECK_EQ(said(".shared .b32 s, s;"), "1:17 variable `s` is declared twice\n1:14 the first is here\n");
  CHECK_EQ(said("L: L:"), "1:4 label `L` occurs twice in `f`\n1:1 the first is here\n");
  CHECK_EQ(said("ret"), "1:4 expected `;` at the end of a statement, found `}` in line 2\n");
  CHECK_EQ(said("ret; {"), "2:2 expected `}` at the end of the code of `f`, found end of file\n");
  CHECK_EQ(said("{ ret;\n.visible .entry g"),
           "2:1 expected `}` at the end of the code of `f`, found `.visible`\n");
  CHECK_EQ(said(".reg .b33 %a;\nmov.b32 %a 1;\nret;"),
           "1:6 expected a type such as .u32, found `.b33`\n2:12 expected `,` or `;`, found `1`\n");
  CHECK_EQ(said(".maxntid 3;"), "1:1 `.maxntid` is not supported here; expected an instruction or .reg\n");
  CHECK_EQ(said("ld.u32 %a, [x].y;"), "1:15 `.y` of an address is not supported yet\n");
  CHECK_EQ(said(".branchtargets 5;"), "1:16 expected a label, found `5`\n");
  CHECK_EQ(said(".callprototype f;"), "1:16 expected `_`, which stands for the function, found `f`\n");
  CHECK_EQ(said(".shared .align 3 .b8 x;"), "1:16 an alignment is a power of two, found `3`\n");
  CHECK_EQ(said(".shared .b8 x[2][0];"), "1:18 an array has at least one element\n");
  std::string many = "mov.b32 {";
  for (int i = 0; i < 200; ++i) many += "%a,";
  CHECK_EQ(said(many + "%a}, 1;"), "1:9 more than 128 elements\n");
}

TEST_CASE("blocks are not nested without end") {
  std::string deep;
  for (int i = 0; i < 1000; ++i) deep += "{";
  CHECK_THROWS_AS(Read{deep}, TooManyErrors);
}

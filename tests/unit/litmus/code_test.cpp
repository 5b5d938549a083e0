// SPDX-License-Identifier: Apache-2.0
#include "helpers.h"

using namespace ptxmc;
using namespace ptxmc::litmus;
using namespace ptxmc::litmus::testing;
using isa::Opcode;

TEST_CASE("short forms") {
  const Test t = columns(
      "ld.weak r0, x ; st.release.gpu y, r0 ; atom.acq_rel.gpu.cas r1, x, 0, 1 ; red.relaxed.cta.add x, 2 ;"
      "ld r2, 7 ; ld r3, r2 ; add r3, r3, 1 ; LC00: ; beq r0, r1, LC00 ; goto LC00 ; bar.cta.sync 1, r2, 3 ;"
      "ld r4, x ; ld r4, [r5] ; tld.weak r0, x ; fence.proxy.texture ;");
  CHECK_FALSE(t.native);
  const auto& code = t.threads[0].code();
  REQUIRE_EQ(code.size(), 14);
  CHECK_EQ(operand<Register>(t, 0, 0).name, "r0");
  CHECK_EQ(operand<Address>(t, 0, 1).variable, "x");
  CHECK_EQ(operand<Address>(t, 1, 0).variable, "y");
  CHECK_EQ(operand<Register>(t, 1, 1).name, "r0");
  CHECK_EQ(code[2].operands.size(), 4);
  CHECK(code[3].modifiers.scope == isa::Scope::cta);
  CHECK(code[4].opcode == Opcode::mov);
  CHECK_EQ(operand<Integer>(t, 4, 1).value, 7);
  CHECK(code[5].opcode == Opcode::mov);
  CHECK(code[7].labels == std::vector<std::string>{"LC00"});
  CHECK(code[7].opcode == Opcode::branch_compare);
  CHECK_EQ(operand<LabelName>(t, 7, 2).name, "LC00");
  CHECK(code[8].opcode == Opcode::bra);
  CHECK(code[9].modifiers.instance_first);
  CHECK_EQ(code[9].operands.size(), 3);
  CHECK(code[10].opcode == Opcode::ld);  // a variable in the address slot: a load, with everything left out
  CHECK_EQ(operand<Address>(t, 11, 1).base_register, "r5");
  CHECK(code[12].modifiers.proxy == isa::Proxy::texture);
}

TEST_CASE("native forms") {
  const Test t = block(
      ".reg .u32 %r<3>, %x; .reg .pred p; .reg .u64 %rd1;\n"
      "mov.u64 %rd1, x; ld.acquire.gpu.global.u32 %r0, [%rd1+4]; st.u32 [x-8], -1; @!p bra L; @p exit;\n"
      "setp.eq.and.u32 p|%q, %r0, 1, !%z; selp.b32 %r0, 1, WARP_SZ, p; atom.add.u32 _, [x], 1; L: M: ret; "
      "N:");
  CHECK(t.native);
  CHECK_EQ(t.threads[0].registers().size(), 6);
  CHECK_EQ(t.threads[0].registers()[1].name, "r1");
  CHECK_EQ(t.threads[0].registers()[3].name, "x");
  const auto& code = t.threads[0].code();
  REQUIRE_EQ(code.size(), 10);
  CHECK_EQ(operand<AddressOf>(t, 0, 1).variable, "x");
  CHECK_EQ(operand<Address>(t, 1, 1).base_register, "rd1");
  CHECK_EQ(operand<Address>(t, 1, 1).offset, 4);
  CHECK_EQ(operand<Address>(t, 2, 0).offset, -8);
  CHECK_EQ(operand<Integer>(t, 2, 1).value, -1);
  REQUIRE(code[3].guard.has_value());
  CHECK_EQ(code[3].guard->reg, "p");
  CHECK(code[3].guard->negated);
  CHECK_FALSE(code[4].guard->negated);
  CHECK_EQ(operand<RegisterPair>(t, 5, 0).second, "q");
  CHECK_EQ(operand<NegatedRegister>(t, 5, 3).name, "z");
  CHECK_EQ(operand<Integer>(t, 6, 2).value, 32);
  operand<Sink>(t, 7, 0);
  CHECK(code[8].labels == std::vector<std::string>{"L", "M"});
  CHECK(code[9].opcode == Opcode::nop);
  CHECK(code[9].labels == std::vector<std::string>{"N"});
}

TEST_CASE("columns: ragged, empty and joined cells") {
  const Test t = parse_text(
      "PTX t\n{}\n"
      "P0|P2 @ cta 1|P1;\n"
      "|| ld.weak r0,x;\n"
      ";\n"
      " setp.eq.s32 %p|%q, r0, 1 | LC: ld.weak r1 , y ;\n"
      " setp.eq.s32 %p|_, r0, 1 | LD: LE: |;\n"
      "exists true");
  REQUIRE_EQ(t.threads.size(), 3);
  CHECK_EQ(t.threads[1].number, 2);
  CHECK_EQ(t.threads[0].code().size(), 2);
  CHECK_EQ(t.threads[1].code().size(), 2);
  CHECK_EQ(t.threads[2].code().size(), 1);
  CHECK_EQ(operand<RegisterPair>(t, 1, 0).second, "_");
  CHECK(t.threads[1].code()[1].opcode == Opcode::nop);
  CHECK_EQ(t.threads[1].code()[0].text, "ld.weak r1 , y");
}

TEST_CASE("variables are declared or not, in order of appearance") {
  const Test t = columns("st.weak a, b ; ld.weak r0, [c] ;\nexists (d = 1)", "x=0;");
  REQUIRE_EQ(t.variables.size(), 5);
  std::string names;
  for (const Variable& v : t.variables) names += v.name;
  CHECK_EQ(names, "xabcd");
  CHECK(t.variables[1].initial.empty());
}

TEST_CASE("the instance-first reading of bar.cta ends with a PTX declaration or a block") {
  CHECK(columns("bar.cta.sync 1 ;").threads[0].code()[0].modifiers.instance_first);
  CHECK_FALSE(columns("bar.cta.sync 1 ;", ".global .u32 x;").threads[0].code()[0].modifiers.instance_first);
  CHECK_FALSE(columns(".reg .u32 %a ; bar.cta.sync 1 ;").threads[0].code()[0].modifiers.instance_first);
  CHECK_FALSE(block("bar.cta.sync 1;", "x=0;").threads[0].code()[0].modifiers.instance_first);
  CHECK_NE(errors_of("PTX t\n{.global .u32 x;}\nP0 ;\nbar.cta.sync 1, 2, 3 ;\n"), "");
}

TEST_CASE("cache hints have no effect; a policy operand is dropped") {
  const Test t = block("ld.global.L2::cache_hint.u32 %r0, [x], %rd1; ld.global.ca.u32 %r0, [x];");
  CHECK_EQ(t.threads[0].code()[0].operands.size(), 2);
  CHECK(t.threads[0].code()[0].modifiers == t.threads[0].code()[1].modifiers);
}

TEST_CASE("positions and texts") {
  const Test t = parse_text("PTX t\n{}\nP0 ;\n LC00:  @%p   ld.weak  r0,  x ;\n");
  const Instruction& i = t.threads[0].code()[0];
  CHECK_EQ(i.text, "@%p ld.weak r0, x");
  CHECK(i.position == Position{4, 9, 21});
  CHECK(i.operands[1].position == Position{4, 29, 1});
}

TEST_CASE("what code refuses") {
  const auto refused = [](const std::string& code) {
    return !errors_of("PTX t\n{ x=0; }\nP0 {\n .reg .pred %p;\n" + code + "\nE: }\nexists true\n").empty();
  };
  CHECK_FALSE(refused("ld.weak %r0, x;"));
  CHECK(refused("ld.weak %r0;"));
  CHECK(refused("ld.weak %r0, x, y;"));
  CHECK(refused("ld.weak %r0, %r1;"));
  CHECK(refused("ld.weak x, x;"));
  CHECK(refused("st.weak x, [x];"));
  CHECK(refused("st.weak x, {%r0, %r1};"));
  CHECK(refused("st.weak x, 1.0;"));
  CHECK(refused("bra F;"));
  CHECK(refused("L: L: ret;"));
  CHECK(refused("E: ret;"));
  CHECK(refused("exists: ret;"));
  CHECK(refused("@p bra E;"));
  CHECK(refused("add.u32 %r0, 1, !%p;"));
  CHECK(refused("mov.u32 %r0, %tid.w;"));
  CHECK(refused("mov.u32 %laneid, %r0;"));
  CHECK(refused(".reg .u32 %r<1000000000>;"));
  CHECK(refused(".reg .u32 %a, %a;"));
  CHECK(refused("ld.weak %r0, x st.weak x, 1;"));
}

TEST_CASE("all errors of a file are reported") {
  const std::string errors = errors_of(
      "PTX t\n{ x=; y=0; z=; }\n P0 | P1 ;\n foo | bar ;\n ld.weak r0 | st.weak y, 1 ;\n goto L | ld.x r0, x "
      ";\n"
      "exists (P0:r0 = 1 /\\ P5:r0 = 1)\n");
  for (const char* place :
       {":2:5: error: expected an integer or the address of a variable, found `;` (also at column 14)",
        ":4:2:", ":4:8:", ":5:13:", ":6:7:", ":6:13:", ":7:22:"}) {
    INFO("missing: ", std::string(place), " in\n", errors);
    CHECK_NE(errors.find(std::string("test.litmus") + place), std::string::npos);
  }
}

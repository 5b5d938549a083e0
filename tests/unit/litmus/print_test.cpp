// SPDX-License-Identifier: Apache-2.0
#include "input/litmus/print.h"

#include "helpers.h"
#include "input/litmus/compare.h"

using namespace ptxmc;
using namespace ptxmc::litmus;
using namespace ptxmc::litmus::testing;

namespace {

void check_round_trip(const std::string& text) {
  const Test test = parse_text(text);
  const std::string printed = print(test);
  INFO(printed);
  CHECK_EQ(errors_of(printed), "");
  CHECK_EQ(difference(test, parse_text(printed)), "");
}

}  // namespace

TEST_CASE("columns") {
  const Test t = parse_text(
      "PTX MP\n\"doc\"\nVerdict[m]=Forbidden Racy\nA=b\n{ x=0; y=1; P1:r2=x; z aliases x; c @ constant "
      "aliases x; }\n"
      "P0@cta 0|P1@cta 1,gpu 2;\nst.weak x,1|LC00: ld.acquire.gpu r0,y;\nst.release.gpu y,1|bne "
      "r0,1,LC00;\n|ld r1,r2;\n"
      "locations [x;1:r0;] exists(1:r0=1/\\x=0)");
  CHECK_EQ(print(t),
           "PTX MP\n\"doc\"\nA=b\nVerdict[m]=Forbidden Racy\n"
           "{\n  x = 0;\n  y = 1;\n  z aliases x;\n  c @ constant aliases x;\n  P1:r2 = &x;\n}\n"
           " P0 @ gpu 0, cta 0     | P1 @ gpu 2, cta 1      ;\n"
           " st.weak [x], 1        | LC00:                  ;\n"
           " st.release.gpu [y], 1 | ld.acquire.gpu r0, [y] ;\n"
           "                       | bne r0, 1, LC00        ;\n"
           "                       | mov r1, r2             ;\n"
           "locations [[x];1:r0;]\n"
           "exists (1:r0=1 /\\ [x]=0)\n");
}

TEST_CASE("blocks") {
  const Test t = block(".reg .u32 %r<2>; L: @!%p bra L; ld.global.u32 %r0, [%rd1+4]; M:",
                       ".shared .align 8 .b64 x; .global .opaque .u32 a[4];");
  CHECK_EQ(print(t),
           "PTX t\n{\n  .shared .align 8 .b64 x;\n  .global .opaque .u32 a[4];\n}\nP0 @ gpu 0, cta 0 {\n  "
           ".reg .u32 %r0;\n  .reg .u32 %r1;\nL:\n"
           "  @!%p bra L;\n  ld.weak.global.u32 %r0, [%rd1+4];\nM:\n}\n");
}

TEST_CASE("printing parses back to the same test") {
  check_round_trip(
      "PTX t\n{ x; int y=1; a[3]={1,&x}; }\n P0 | P1 @ host ;\n st.weak x, y ;\nregions: x:shared\nforall "
      "(x=y)");
  check_round_trip("PTX t\n{}\nP0 { bar.cta.sync 1, 32; barrier.red.popc.u32 %r0, 1, !%p; }\n");
  check_round_trip("PTX t\n{ .global .u32 x; }\nP0 | P1 ;\nsetp.eq.and.u32 %p|_, %r0, 1, %q | _L: bra _L;\n");
  check_round_trip(
      "PTX t\n{}\nP0 ;\nbar.cta.arrive 1, r0, 2 ;\nmad.lo.s32 r0, r1, -9223372036854775808, 0x7f ;\n");
  check_round_trip(
      "PTX t\n{ x=0; }\nP0 { .reg .u32 tmp; .reg .pred %x; ld.u32 tmp, [x]; add.u32 tmp, tmp, 1; mov.u64 %a, "
      "x; }\nfilter "
      "x=1 "
      "exists ~(x=1 => false)");
  check_round_trip("PTX t\n{ P0 aliases x; }\nP0 { ld.u32 %r0, [P0]; P1: bra P1; }\n");
}

TEST_CASE("difference() sees every part") {
  const std::string base =
      "PTX t\n\"d\"\nK=v\nVerdict=Allowed\n{ x=0; P0:r0=0; }\n P0 ;\n ld.weak r0, x ;\nlocations "
      "[x;]\nfilter x=0\nexists x=0\n";
  const Test test = parse_text(base);
  CHECK_EQ(difference(test, parse_text(base)), "");
  const std::pair<const char*, const char*> changes[] = {{"PTX t", "PTX u"},
                                                         {"\"d\"", "\"e\""},
                                                         {"K=v", "K=w"},
                                                         {"Allowed", "Forbidden"},
                                                         {"{ x=0", "{ x=1"},
                                                         {"P0:r0=0", "P0:r0=1"},
                                                         {"P0 ;", "P0 @ gpu 1 ;"},
                                                         {"ld.weak", "ld.volatile"},
                                                         {"r0, x ;", "r1, x ;"},
                                                         {" ld", " L: ld"},
                                                         {"[x;]", "[x;x;]"},
                                                         {"filter x=0", "filter x!=0"},
                                                         {"exists x=0", "exists x=1"},
                                                         {"exists", "forall"},
                                                         {" P0 ;", " P0 | P1 ;"},
                                                         {"ld.weak r0", "@%p ld.weak r0"},
                                                         {"{ x=0", "{ .global .u32 x=0"}};
  for (const auto& change : changes) {
    const std::string from = change.first;
    const std::string to = change.second;
    std::string text = base;
    text.replace(text.find(from), from.size(), to);
    INFO("change: ", to);
    CHECK_NE(difference(test, parse_text(text)), "");
  }
}

TEST_CASE("lanes of one body are a block of so many threads") {
  const std::string text =
      "PTX t\n{ .global .u32 x; P3:%r0 = 7; }\nP1 @ cta 2, warp 1, threads 34 { .reg .u32 %r0; st.global.u32 "
      "[x], %r0; }\n"
      "P40 @ cta 2, warp 3, lane 1 { st.global.u32 [x], 1; }\nexists (true)\n";
  const Test t = parse_text(text);
  const std::string printed = print(t, Lanes::together);
  CHECK_NE(printed.find("P1 @ gpu 0, cta 2, warp 1, threads 34 {"), std::string::npos);
  CHECK_NE(printed.find("P40 @ gpu 0, cta 2, warp 3, lane 1 {"), std::string::npos);
  CHECK_EQ(difference(t, parse_text(printed)), "");
  CHECK_EQ(print(t), print(parse_text(printed)));
  Test gap = t;  // lane 0 is gone: those behind it have blocks of their own
  gap.threads.erase(gap.threads.begin());
  const std::string apart = print(gap, Lanes::together);
  CHECK_NE(apart.find("P2 @ gpu 0, cta 2, warp 1, lane 1 {"), std::string::npos);
  CHECK_NE(apart.find("P33 @ gpu 0, cta 2, warp 2, threads 2 {"), std::string::npos);
}

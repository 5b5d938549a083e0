// SPDX-License-Identifier: Apache-2.0
// Registers: what the interpreter computes is what lowering folds the same instructions to.
#include "../lower/lowered.h"
#include "dynamic/exec/run.h"

namespace ptxmc::exec {
namespace {

/// %r after `code`, as both have it.
void agree(const std::string& code) {
  const std::string text = lower::one_thread(".global .u32 x;", code, "locations [P0:%r;] forall (true)");
  const auto expected = static_cast<std::uint64_t>(lower::folded(lower::lowered(text), "0:r"));
  const auto test = litmus::parse(std::make_shared<ptxmc::Source>(ptxmc::Source{"test.litmus", text}));
  Run run(test, nullptr);
  const Outcome outcome = run.run({});
  CHECK(outcome.end == End::finished);
  const Run::Value found = run.reg(0, "r");
  CHECK_MESSAGE(found.sources == 0, code);
  // A register that nothing declares is as wide as what was written to it, which a row of 64 bits extends.
  const bool narrow = expected >> 32U == 0;
  CHECK_MESSAGE((narrow ? found.bits & 0xffffffffU : found.bits) == expected, code);
}

TEST_CASE("integers and bits, as lowering has them") {
  const char* const rows[] = {
      "add.u32 %r, 0xffffffff, 2;",
      "add.s64 %r, -1, 2;",
      "sub.u32 %r, 1, 2;",
      "mul.lo.u32 %r, 0x10000, 0x10001;",
      "mul.hi.u32 %r, 0x10000, 0x10001;",
      "mul.hi.s32 %r, -1, 2;",
      "mul.wide.s32 %r, -1, 2;",
      "mul.wide.u32 %r, -1, 2;",
      "mad.lo.u32 %r, 3, 4, 5;",
      "mad.wide.u16 %r, 300, 300, 1;",
      "div.s32 %r, -7, 2;",
      "div.u32 %r, -7, 2;",
      "rem.s32 %r, -7, 2;",
      "min.s32 %r, -1, 1;",
      "min.u32 %r, -1, 1;",
      "max.s32 %r, -1, 1;",
      "abs.s32 %r, -5;",
      "neg.s32 %r, 5;",
      "and.b32 %r, 12, 10;",
      "or.b32 %r, 12, 10;",
      "xor.b32 %r, 12, 10;",
      "not.b32 %r, 0;",
      "lop3.b32 %r, 0xf0, 0xcc, 0xaa, 0x96;",
      "lop3.b32 %r, 0xf0, 0xcc, 0xaa, 0xe8;",
      "lop3.b32 %r, 0xf0, 0xcc, 0xaa, 0x1b;",
      "lop3.b32 %r, 0xf0, 0xcc, 0xaa, 0x40;",
      "lop3.b32 %r, 12, 10, 5, 0;",
      "lop3.b32 %r, 12, 10, 5, 255;",
      "shl.b32 %r, 1, 31;",
      "shl.b32 %r, 1, 32;",
      "shl.b16 %r, 1, 65536;",
      "shr.u32 %r, 0x80000000, 31;",
      "shr.s32 %r, 0x80000000, 40;",
      "shr.b32 %r, 0x80000000, 31;",
      "popc.b32 %r, 0xf0f0;",
      "popc.b64 %r, -1;",
      "clz.b32 %r, 1;",
      "clz.b64 %r, 1;",
      "bfind.u32 %r, 0x100;",
      "bfind.s32 %r, -1;",
      "bfind.shiftamt.u32 %r, 0x100;",
      "bfind.s64 %r, -256;",
      "brev.b32 %r, 1;",
      "fns.b32 %r, 0xaaaaaaaa, 2, 3;",
      "fns.b32 %r, 0xaaaaaaaa, 8, -2;",
      "bfe.u32 %r, 0x12345678, 8, 12;",
      "bfe.s32 %r, 0xf00, 8, 4;",
      "bfe.s64 %r, 0xf00, 8, 4;",
      "bfi.b32 %r, 0xab, 0x11111111, 8, 8;",
      "bfi.b64 %r, 1, 0, 63, 1;",
      "szext.clamp.s32 %r, 0xff, 8;",
      "szext.wrap.u32 %r, 0x1ff, 40;",
      "bmsk.clamp.b32 %r, 4, 8;",
      "bmsk.wrap.b32 %r, 36, 4;",
      "dp4a.u32.s32 %r, 0x01020304, 0x01ff01ff, 10;",
      "dp2a.lo.s32.u32 %r, 0x0002ffff, 0x00000305, 0;",
      "dp2a.hi.u32.u32 %r, 0x00020003, 0x04050000, 1;",
      "mul24.lo.u32 %r, 0xff000002, 3;",
      "mul24.hi.s32 %r, 0xffffff, 0x10000;",
      "mad24.lo.s32 %r, -2, 3, 10;",
      "mad24.hi.sat.s32 %r, 0x7fffff, 0x7fffff, 0x7fffffff;",
      "sad.s32 %r, -3, 4, 1;",
      "sad.u16 %r, 1, 3, 10;",
      "cnot.b32 %r, 0;",
      "cnot.b32 %r, 2;",
      "slct.u32.s32 %r, 1, 2, -1;",
      "slct.f32.s32 %r, 0f3F800000, 0f00000000, 0;",
      "shf.l.wrap.b32 %r, 0x80000000, 1, 33;",
      "shf.l.clamp.b32 %r, 5, 1, 33;",
      "shf.r.clamp.b32 %r, 0x10, 0xf, 4;",
      "prmt.b32 %r, 0x33221100, 0x77665544, 0x7250;",
      "prmt.b32.f4e %r, 0x33221100, 0x77665544, 1;",
      "add.sat.s32 %r, 0x7fffffff, 1;",
      "sub.sat.s32 %r, 0x80000000, 1;",
      "mad.hi.sat.s32 %r, 0x40000000, 4, 0x7fffffff;",
      "cvt.sat.u8.s32 %r, -5;",
      "cvt.sat.u8.s32 %r, 300;",
      "cvt.sat.s16.u32 %r, -1;",
      "cvt.sat.s32.s64 %r, 0x100000000;",
      "cvt.sat.u64.s64 %r, -7;",
      "min.relu.s32 %r, -4, 5;",
      "add.u16x2 %r, 0x0001ffff, 0x00010001;",
      "max.s16x2 %r, 0x8000ffff, 0x00010000;",
      "max.u16x2 %r, 0x8000ffff, 0x00010000;",
      "min.s16x2.relu %r, 0x80000005, 0x00010007;",
      "add.cc.u32 %x, -1, 1; addc.u32 %r, 1, 1;",
      "add.cc.u32 %x, 1, 1; addc.u32 %r, 1, 1;",
      "add.cc.u32 %x, -1, 1; addc.cc.u32 %x, -1, 0; addc.u32 %r, 0, 0;",
      "sub.cc.u64 %x, 0, 1; subc.u64 %r, 5, 0;",
      "mad.lo.cc.u32 %x, 0x10000, 0x10000, 0; madc.hi.u32 %r, 0x10000, 0x10000, 0;",
      "mad.lo.cc.u32 %x, -1, 1, 1; madc.hi.u32 %r, -1, 1, 0;",
      "lop3.or.b32 %r|%p, 0, 0, 0, 0xff, %q;",
      "setp.eq.u32 %q, 1, 1; lop3.and.b32 %x|%p, 3, 3, 3, 0x80, %q; selp.u32 %r, 10, 20, %p;",
      "lop3.or.b32 %x|%p, 3, 3, 3, 0, %q; selp.u32 %r, 10, 20, %p;",
      "set.lt.u32.s32 %r, -1, 1;",
      "set.lt.f32.u32 %r, 0, 1;",
      "set.ge.s32.u32 %r, 0, 1;",
      "selp.f32 %r, 2.0, 3.0, %p;",
      "setp.lt.s32 %p, -1, 1; selp.u32 %r, 10, 20, %p;",
      "setp.lt.u32 %p, -1, 1; selp.u32 %r, 10, 20, %p;",
      "setp.ge.s32 %p, 3, 3; selp.u32 %r, 10, 20, %p;",
      "setp.ne.u32 %p, 3, 3; selp.u32 %r, 10, 20, %p;",
      "setp.eq.u32 %p|%q, 3, 3; selp.u32 %r, 10, 20, %q;",
      "setp.eq.u32 %q, 1, 2; setp.eq.and.u32 %p, 3, 3, %q; selp.u32 %r, 10, 20, %p;",
      "setp.eq.u32 %q, 1, 2; setp.eq.and.u32 %p, 3, 3, !%q; selp.u32 %r, 10, 20, %p;",
      "setp.eq.u32 %q, 1, 2; setp.eq.xor.u32 %p|%o, 3, 3, %q; selp.u32 %r, 10, 20, %o;",
      "setp.eq.u32 %p, 1, 1; not.pred %q, %p; or.pred %p, %p, %q; selp.u32 %r, 10, 20, %p;",
      "cvt.s32.s8 %r, 0xff;",
      "cvt.u32.u8 %r, 0x1ff;",
      "cvt.u8.u32 %r, 0x1ff;",
      "cvt.s64.s32 %r, -1;",
      "cvt.u64.u32 %r, -1;",
      "mov.u32 %r, 1; setp.eq.u32 %p, 1, 1; @%p mov.u32 %r, 2;",
      "mov.u32 %r, 1; setp.eq.u32 %p, 1, 1; @!%p mov.u32 %r, 2;",
      ".reg .u32 %a; .reg .u64 %r; mov.u32 %a, -1; cvt.u64.u32 %r, %a;",
      ".reg .s32 %a; mov.s32 %a, -1; cvt.s64.s32 %r, %a;",
      ".reg .b64 %r; cvt.u32.u32 %r, -1;",
      "mov.u64 %a, 0x1ffffffff; mov.u32 %r, %a;",
  };
  for (const char* row : rows) agree(row);
}

/// For 32 and 64 bits, rounded to nearest: the bits of the result.
TEST_CASE("floating numbers") {
  struct Row {
    const char* code;
    std::uint64_t expected;
  };
  const Row rows[] = {
      {".reg .f32 %r; add.f32 %r, 0f3F800000, 0f40000000;", 0x40400000},
      {".reg .f32 %r; sub.f32 %r, 0f3F800000, 0f3F800000;", 0},
      {".reg .f32 %r; mul.f32 %r, 0f7F7FFFFF, 0f40000000;", 0x7f800000},
      {".reg .f32 %r; fma.rn.f32 %r, 0f40400000, 0f40400000, 0f3F800000;", 0x41200000},
      {".reg .f32 %r; min.f32 %r, 0f80000000, 0f00000000;", 0x80000000},
      {".reg .f32 %r; max.f32 %r, 0f7FC00000, 0f3F800000;", 0x3f800000},
      {".reg .f32 %r; neg.f32 %r, 0f3F800000;", 0xbf800000},
      {".reg .f32 %r; add.ftz.f32 %r, 0f00000001, 0f00000001;", 0},
      {".reg .f32 %r; div.rn.f32 %r, 0f3F800000, 0f40400000;", 0x3eaaaaab},
      {".reg .f32 %r; sqrt.rn.f32 %r, 0f40000000;", 0x3fb504f3},
      {".reg .f32 %r; div.rn.f32 %r, 0f00000000, 0f00000000;", 0x7fffffff},
      {".reg .f64 %r; add.f64 %r, 0d3FF0000000000000, 0d3FF0000000000000;", 0x4000000000000000},
      {".reg .f32 %r; cvt.rn.f32.s32 %r, -3;", 0xc0400000},
      {".reg .s32 %r; cvt.rzi.s32.f32 %r, 0fC0700000;", 0xfffffffd},
      {".reg .u32 %r; cvt.rni.u32.f32 %r, 0f40200000;", 2},
      {".reg .u32 %r; cvt.rzi.u32.f32 %r, 0fBF800000;", 0},
      {".reg .s32 %r; cvt.rzi.s32.f32 %r, 0f7F800000;", 0x7fffffff},
      {".reg .f64 %r; cvt.f64.f32 %r, 0f3F800000;", 0x3ff0000000000000},
      {".reg .f32 %r; .reg .b16 %h; mov.b16 %h, 0x3c00; cvt.f32.f16 %r, %h;", 0x3f800000},
      {".reg .f32 %r; .reg .b16 %h; mov.b16 %h, 0x8001; cvt.f32.f16 %r, %h;", 0xb3800000},
      {".reg .f32 %r; .reg .b16 %h; mov.b16 %h, 0xfc00; cvt.f32.f16 %r, %h;", 0xff800000},
      {".reg .f32 %r; .reg .b16 %h; mov.b16 %h, 0x7e00; cvt.f32.f16 %r, %h;", 0x7fffffff},
      {".reg .f32 %r; .reg .b16 %h; mov.b16 %h, 0x8000; cvt.f32.bf16 %r, %h;", 0x80000000},
      {".reg .f32 %r; .reg .b16 %h; mov.b16 %h, 0x4049; cvt.f32.bf16 %r, %h;", 0x40490000},
      // In mixed precision (8.6): the sum has 24 bits, and only .rn is evaluated
      {".reg .f32 %r; .reg .b16 %h; mov.b16 %h, 0x3c00; add.f32.f16 %r, %h, 0f3F800001;", 0x40000000},
      {".reg .f32 %r; .reg .b16 %h; mov.b16 %h, 0x3f80; sub.rn.f32.bf16 %r, %h, 0f40000000;", 0xbf800000},
      {".reg .f32 %r; .reg .b16 %h, %i; mov.b16 %h, 0x4200; mov.b16 %i, 0xc000; fma.rn.f32.f16 %r, %h, %i, 0f3F800000;",
       0xc0a00000},
      {".reg .f32 %r; .reg .b16 %h; mov.b16 %h, 0x7f81; add.f32.bf16 %r, %h, 0f3F800000;", 0x7fffffff},
      // Three numbers (8.8), and pairs of them (8.6), which are evaluated where a rounding is written
      {".reg .f32 %r; min.f32 %r, 0f3F800000, 0f40000000, 0fBF800000;", 0xbf800000},
      {".reg .f32 %r; max.ftz.f32 %r, 0f3F800000, 0f7FC00000, 0fBF800000;", 0x3f800000},
      {".reg .b64 %a, %r; mov.b64 %a, 0x400000003F800000; add.rn.f32x2 %r, %a, %a;", 0x4080000040000000},
      {".reg .b64 %a, %r; mov.b64 %a, 0x400000003F800000; sub.rn.ftz.f32x2 %r, %a, %a;", 0},
      {".reg .b64 %a, %r; mov.b64 %a, 0x400000003F800000; mul.rn.f32x2 %r, %a, %a;", 0x408000003F800000},
      {".reg .b64 %a, %r; mov.b64 %a, 0x400000003F800000; fma.rn.f32x2 %r, %a, %a, %a;", 0x40C0000040000000},
      {"setp.lt.f32 %p, 0f3F800000, 0f40000000; selp.u32 %r, 1, 2, %p;", 1},
      {"setp.ltu.f32 %p, 0f7FC00000, 0f40000000; selp.u32 %r, 1, 2, %p;", 1},
      {"setp.ne.f32 %p, 0f7FC00000, 0f40000000; selp.u32 %r, 1, 2, %p;", 2},
  };
  for (const Row& row : rows) {
    const std::string text =
        lower::one_thread(".global .u32 x;", row.code, "locations [P0:%r;] forall (true)");
    const auto test = litmus::parse(std::make_shared<ptxmc::Source>(ptxmc::Source{"test.litmus", text}));
    Run run(test, nullptr);
    run.run({});
    CHECK_MESSAGE(run.reg(0, "r").bits == row.expected, row.code);
    const bool nan = row.expected == 0x7fffffff && std::string(row.code).starts_with(".reg .f32");
    CHECK_MESSAGE(run.reg(0, "r").sources == (nan ? bit(Source::data) : Sources{0}),
                  row.code);  // which one is not said
  }
}

TEST_CASE("a register of 128 bits that nothing declares has two halves") {
  const std::string text =
      lower::one_thread(".global .align 16 .b64 x[2];",
                        "mov.b128 %q, {3, 4}; st.weak.b128 [x], %q; ld.weak.b128 %s, [x];\n"
                        "mov.b128 {%a, %r}, %s;",
                        "locations [P0:%r;] forall (true)");
  const auto test = litmus::parse(std::make_shared<ptxmc::Source>(ptxmc::Source{"test.litmus", text}));
  Run run(test, nullptr);
  CHECK(run.run({}).end == End::finished);
  CHECK(run.reg(0, "a").bits == 3);
  CHECK(run.reg(0, "r").bits == 4);
}

TEST_CASE("what is not evaluated rests on data") {
  for (const char* code :
       {".reg .f32 %r; ex2.approx.f32 %r, 0f3F800000;", ".reg .f32 %r; rcp.approx.f32 %r, 0f3F800000;",
        ".reg .f32 %r; add.rz.f32 %r, 0f3F800000, 0f3F800000;",
        ".reg .f32 %r; .reg .b16 %h; mov.b16 %h, 0x3c00; add.rp.f32.f16 %r, %h, 0f3F800000;",
        ".reg .f32 %r; .reg .b16 %h; mov.b16 %h, 0x3c00; fma.rn.sat.f32.f16 %r, %h, %h, 0f3F800000;",
        ".reg .u32 %z; mov.u32 %z, 0; div.u32 %r, 7, %z;"}) {
    const std::string text = lower::one_thread(".global .u32 x;", code, "locations [P0:%r;] forall (true)");
    const auto test = litmus::parse(std::make_shared<ptxmc::Source>(ptxmc::Source{"test.litmus", text}));
    Run run(test, nullptr);
    run.run({});
    CHECK_MESSAGE(run.reg(0, "r").sources == bit(exec::Source::data), code);
  }
}

}  // namespace
}  // namespace ptxmc::exec

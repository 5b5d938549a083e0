// SPDX-License-Identifier: Apache-2.0
// Register instructions on constants: what is left in the register is the result.
#include "lowered.h"

namespace ptxmc::lower {
namespace {

/// The final value of %r after `code`, which may use declared registers of several types.
event::Value result(const std::string& code, const Options& options = {}) {
  return folded(lowered(one_thread(".global .u32 x;", code, "locations [P0:%r;] forall (true)"), options),
                "0:r");
}

struct Row {
  const char* code;
  event::Value expected;
};

TEST_CASE("integer arithmetic") {
  const Row rows[] = {
      {"add.u32 %r, 0xffffffff, 2;", 1},
      {"add.s64 %r, -1, 2;", 1},
      {"sub.u32 %r, 1, 2;", 0xffffffff},
      {"mul.lo.u32 %r, 0x10000, 0x10001;", 0x10000},
      {"mul.hi.u32 %r, 0x10000, 0x10001;", 1},
      {"mul.hi.s32 %r, -1, 2;", 0xffffffff},
      {"mul.wide.s32 %r, -1, 2;", -2},
      {"mul.wide.u32 %r, -1, 2;", 0x1fffffffe},
      {"mad.lo.u32 %r, 3, 4, 5;", 17},
      {"mad.wide.u16 %r, 300, 300, 1;", 90001},
      {"div.s32 %r, -7, 2;", 0xfffffffd},
      {"div.u32 %r, -7, 2;", 0x7ffffffc},
      {"rem.s32 %r, -7, 2;", 0xffffffff},
      {"min.s32 %r, -1, 1;", 0xffffffff},
      {"min.u32 %r, -1, 1;", 1},
      {"max.s32 %r, -1, 1;", 1},
      {"abs.s32 %r, -5;", 5},
      {"neg.s32 %r, 5;", 0xfffffffb},
      {"and.b32 %r, 12, 10;", 8},
      {"or.b32 %r, 12, 10;", 14},
      {"xor.b32 %r, 12, 10;", 6},
      {"not.b32 %r, 0;", 0xffffffff},
      {"lop3.b32 %r, 0xf0, 0xcc, 0xaa, 0x96;", 0x96},  // xor: the rows of the table itself
      {"lop3.b32 %r, 0xf0, 0xcc, 0xaa, 0xe8;", 0xe8},  // majority
      {"lop3.b32 %r, 0xf0, 0xcc, 0xaa, 0x1b;", 0xffffff1b},
      {"lop3.b32 %r, 0xf0, 0xcc, 0xaa, 0x40;", 0x40},
      {"lop3.b32 %r, 12, 10, 5, 0;", 0},
      {"lop3.b32 %r, 12, 10, 5, 255;", 0xffffffff},
      {"shl.b32 %r, 1, 31;", 0x80000000},
      {"shl.b32 %r, 1, 32;", 0},
      {"shl.b16 %r, 1, 65536;", 0},
      {"shr.u32 %r, 0x80000000, 31;", 1},
      {"shr.s32 %r, 0x80000000, 40;", 0xffffffff},
      {"shr.b32 %r, 0x80000000, 31;", 1},
  };
  for (const Row& row : rows) CHECK_MESSAGE(result(row.code) == row.expected, row.code);
}

TEST_CASE("bits: each instruction on numbers (integer/bits_test.cpp has the operations)") {
  const Row rows[] = {
      {"popc.b32 %r, 0xf0f0;", 8},
      {"popc.b64 %r, -1;", 64},
      {"clz.b32 %r, 1;", 31},
      {"clz.b64 %r, 1;", 63},
      {"bfind.u32 %r, 0x100;", 8},
      {"bfind.s32 %r, -1;", 0xffffffff},
      {"bfind.shiftamt.u32 %r, 0x100;", 23},
      {"bfind.s64 %r, -256;", 7},
      {"brev.b32 %r, 1;", 0x80000000},
      {"fns.b32 %r, 0xaaaaaaaa, 2, 3;", 7},
      {"fns.b32 %r, 0xaaaaaaaa, 8, -2;", 5},
      {"bfe.u32 %r, 0x12345678, 8, 12;", 0x456},
      {"bfe.s32 %r, 0xf00, 8, 4;", 0xffffffff},
      {"bfe.s64 %r, 0xf00, 8, 4;", -1},
      {"bfi.b32 %r, 0xab, 0x11111111, 8, 8;", 0x1111ab11},
      {"bfi.b64 %r, 1, 0, 63, 1;", -0x7fffffffffffffff - 1},
      {"szext.clamp.s32 %r, 0xff, 8;", 0xffffffff},
      {"szext.wrap.u32 %r, 0x1ff, 40;", 0xff},
      {"bmsk.clamp.b32 %r, 4, 8;", 0xff0},
      {"bmsk.wrap.b32 %r, 36, 4;", 0xf0},
      {"dp4a.u32.s32 %r, 0x01020304, 0x01ff01ff, 10;", 10 + 1 - 2 + 3 - 4},
      {"dp2a.lo.s32.u32 %r, 0x0002ffff, 0x00000305, 0;", 1},
      {"dp2a.hi.u32.u32 %r, 0x00020003, 0x04050000, 1;", 24},
      {"mul24.lo.u32 %r, 0xff000002, 3;", 6},
      {"mul24.hi.s32 %r, 0xffffff, 0x10000;", 0xffffffff},
      {"mad24.lo.s32 %r, -2, 3, 10;", 4},
      {"mad24.hi.sat.s32 %r, 0x7fffff, 0x7fffff, 0x7fffffff;", 0x7fffffff},
      {"sad.s32 %r, -3, 4, 1;", 8},
      {"sad.u16 %r, 1, 3, 10;", 12},
      {"cnot.b32 %r, 0;", 1},
      {"cnot.b32 %r, 2;", 0},
      {"slct.u32.s32 %r, 1, 2, -1;", 2},
      {"slct.f32.s32 %r, 0f3F800000, 0f00000000, 0;", 0x3f800000},
      {"shf.l.wrap.b32 %r, 0x80000000, 1, 33;", 3},
      {"shf.l.clamp.b32 %r, 5, 1, 33;", 5},
      {"shf.r.clamp.b32 %r, 0x10, 0xf, 4;", 0xf0000001},
      {"prmt.b32 %r, 0x33221100, 0x77665544, 0x7250;", 0x77225500},
      {"prmt.b32.f4e %r, 0x33221100, 0x77665544, 1;", 0x44332211},
      {"add.sat.s32 %r, 0x7fffffff, 1;", 0x7fffffff},
      {"sub.sat.s32 %r, 0x80000000, 1;", 0x80000000},
      {"mad.hi.sat.s32 %r, 0x40000000, 4, 0x7fffffff;", 0x7fffffff},
      {"cvt.sat.u8.s32 %r, -5;", 0},
      {"cvt.sat.u8.s32 %r, 300;", 255},
      {"cvt.sat.s16.u32 %r, -1;", 32767},
      {"cvt.sat.s32.s64 %r, 0x100000000;", 0x7fffffff},
      {"cvt.sat.u64.s64 %r, -7;", 0},
      {"min.relu.s32 %r, -4, 5;", 0},
      {"add.u16x2 %r, 0x0001ffff, 0x00010001;", 0x00020000},
      {"max.s16x2 %r, 0x8000ffff, 0x00010000;", 0x00010000},
      {"max.u16x2 %r, 0x8000ffff, 0x00010000;", 0x8000ffff},
      {"min.s16x2.relu %r, 0x80000005, 0x00010007;", 5},
      {"add.cc.u32 %x, -1, 1; addc.u32 %r, 1, 1;", 3},
      {"add.cc.u32 %x, 1, 1; addc.u32 %r, 1, 1;", 2},
      {"add.cc.u32 %x, -1, 1; addc.cc.u32 %x, -1, 0; addc.u32 %r, 0, 0;", 1},
      {"sub.cc.u64 %x, 0, 1; subc.u64 %r, 5, 0;", 4},
      {"mad.lo.cc.u32 %x, 0x10000, 0x10000, 0; madc.hi.u32 %r, 0x10000, 0x10000, 0;", 1},
      {"mad.lo.cc.u32 %x, -1, 1, 1; madc.hi.u32 %r, -1, 1, 0;", 1},
      {"lop3.or.b32 %r|%p, 0, 0, 0, 0xff, %q;", 0xffffffff},
      {"setp.eq.u32 %q, 1, 1; lop3.and.b32 %x|%p, 3, 3, 3, 0x80, %q; selp.u32 %r, 10, 20, %p;", 10},
      {"lop3.or.b32 %x|%p, 3, 3, 3, 0, %q; selp.u32 %r, 10, 20, %p;", 20},
      {"set.lt.u32.s32 %r, -1, 1;", 0xffffffff},
      {"set.lt.f32.u32 %r, 0, 1;", 0x3f800000},
      {"set.ge.s32.u32 %r, 0, 1;", 0},
      {"mov.f32 %r, 1.5;", 0x3fc00000},
      {"mov.f64 %r, 0f3F800000;", 0x3ff0000000000000},
      {"selp.f32 %r, 2.0, 3.0, %p;", 0x40400000},
  };
  for (const Row& row : rows) CHECK_MESSAGE(result(row.code) == row.expected, row.code);
}

TEST_CASE("floating numbers: functions of their sources, and nothing else is known") {
  const auto value = [](const std::string& code) {
    const auto graph = lowered(one_thread(
        ".global .f32 x;", ".reg .f32 %f0, %f3; .reg .b32 %f1, %f2; ld.weak.global.f32 %f0, [x];" + code,
        "locations [P0:f1; P0:f2;] forall (true)"));
    const event::Expr a = observable(graph, "0:f1").value, b = observable(graph, "0:f2").value;
    CHECK(graph.exprs[a].op == event::Op::opaque);
    CHECK(graph.exprs[a].width == 32);
    return a == b;
  };
  CHECK(value("fma.rn.f32 %f1, %f0, %f0, 1.0; mov.f32 %f3, %f0; fma.rn.f32 %f2, %f3, %f0, 0f3F800000;"));
  CHECK_FALSE(value("fma.rn.f32 %f1, %f0, %f0, 1.0; fma.rz.f32 %f2, %f0, %f0, 1.0;"));
  CHECK_FALSE(value("fma.rn.f32 %f1, %f0, 2.0, 1.0; fma.rn.f32 %f2, 2.0, %f0, 1.0;"));
  CHECK_FALSE(value("add.f32 %f1, %f0, 1.0; sub.f32 %f2, %f0, 1.0;"));
  CHECK(value("cvt.rn.f16x2.f32 %f1, %f0, 1.0; cvt.rn.f16x2.f32 %f2, %f0, 1.0;"));
  CHECK_FALSE(value("cvt.rn.f16x2.f32 %f1, %f0, 1.0; cvt.rn.bf16x2.f32 %f2, %f0, 1.0;"));
  CHECK(value("sqrt.approx.ftz.f32 %f1, %f0; sqrt.approx.ftz.f32 %f2, %f0;"));
  CHECK_FALSE(value("sqrt.approx.ftz.f32 %f1, %f0; sqrt.approx.f32 %f2, %f0;"));
}

TEST_CASE("lop3: every table") {
  for (int table = 0; table < 256; ++table) {
    const std::string code = "lop3.b32 %r, 0xf0, 0xcc, 0xaa, " + std::to_string(table) + ";";
    CHECK_MESSAGE((result(code) & 0xff) == table, code);
  }
  CHECK_THROWS_AS(result("lop3.b32 %r, 1, 2, 3, 256;"), InputError);
  CHECK_THROWS_AS(result("lop3.b32 %r, 1, 2, 3;"), InputError);
  CHECK_THROWS_AS(result("lop3.xor.b32 %r|%p, 1, 2, 3, 4, %p;"), InputError);
  CHECK_THROWS_AS(result("lop3.or.b32 %r, 1, 2, 3, 4, %p;"), InputError);
}

TEST_CASE("comparison, selection, conversion") {
  const Row rows[] = {
      {"setp.lt.s32 %p, -1, 1; selp.u32 %r, 10, 20, %p;", 10},
      {"setp.lt.u32 %p, -1, 1; selp.u32 %r, 10, 20, %p;", 20},
      {"setp.ge.s32 %p, 3, 3; selp.u32 %r, 10, 20, %p;", 10},
      {"setp.ne.u32 %p, 3, 3; selp.u32 %r, 10, 20, %p;", 20},
      {"setp.eq.u32 %p|%q, 3, 3; selp.u32 %r, 10, 20, %q;", 20},
      {"setp.eq.u32 %q, 1, 2; setp.eq.and.u32 %p, 3, 3, %q; selp.u32 %r, 10, 20, %p;", 20},
      {"setp.eq.u32 %q, 1, 2; setp.eq.and.u32 %p, 3, 3, !%q; selp.u32 %r, 10, 20, %p;", 10},
      {"setp.eq.u32 %q, 1, 2; setp.eq.xor.u32 %p|%o, 3, 3, %q; selp.u32 %r, 10, 20, %o;", 20},
      {"setp.eq.u32 %p, 1, 1; not.pred %q, %p; or.pred %p, %p, %q; selp.u32 %r, 10, 20, %p;", 10},
      {"cvt.s32.s8 %r, 0xff;", 0xffffffff},
      {"cvt.u32.u8 %r, 0x1ff;", 0xff},
      {"cvt.u8.u32 %r, 0x1ff;", 0xff},
      {"cvt.s64.s32 %r, -1;", -1},
      {"cvt.u64.u32 %r, -1;", 0xffffffff},
  };
  for (const Row& row : rows) CHECK_MESSAGE(result(row.code) == row.expected, row.code);
}

TEST_CASE("predicated register instructions choose, they are no control flow") {
  const Row rows[] = {
      {"mov.u32 %r, 1; setp.eq.u32 %p, 1, 1; @%p mov.u32 %r, 2;", 2},
      {"mov.u32 %r, 1; setp.eq.u32 %p, 1, 1; @!%p mov.u32 %r, 2;", 1},
  };
  for (const Row& row : rows) CHECK_MESSAGE(result(row.code) == row.expected, row.code);
  const auto graph = lowered(one_thread(".global .u32 x;",
                                        "ld.relaxed.gpu.global.u32 %a, [x]; setp.eq.u32 %p, %a, 1;"
                                        "mov.u32 %r, 5; @%p mov.u32 %r, 6;",
                                        "locations [P0:%r;] forall (true)"));
  CHECK(graph.decisions.empty());
  CHECK(graph.exprs[observable(graph, "0:r").value].op == event::Op::ite);
}

TEST_CASE("registers: declared widths, and widening by the value's own sign") {
  const Row rows[] = {
      {".reg .u32 %a; .reg .u64 %r; mov.u32 %a, -1; cvt.u64.u32 %r, %a;", 0xffffffff},
      {".reg .s32 %a; mov.s32 %a, -1; cvt.s64.s32 %r, %a;", -1},
      {".reg .b64 %r; cvt.u32.u32 %r, -1;", 0xffffffff},
      {"mov.u64 %a, 0x1ffffffff; mov.u32 %r, %a;", 0xffffffff},
      {"add.u32 %r, %never_written, 1;", 1},
  };
  for (const Row& row : rows) CHECK_MESSAGE(result(row.code) == row.expected, row.code);
}

TEST_CASE("short forms are 64-bit and signed, or unbounded") {
  const std::string text =
      "PTX t\n{ P0:r1 = 4611686018427387904; }\n P0@cta 0,gpu 0 ;\n mul r2, r1, 4 ;\n sub r3, r4, 1 ;\n"
      "locations [P0:r2; P0:r3;] forall (P0:r3 == -1)\n";
  const auto wrapped = lowered(text);
  CHECK(folded(wrapped, "0:r2") == 0);
  CHECK(folded(wrapped, "0:r3") == -1);
  CHECK(observable(wrapped, "0:r3").is_signed);
  CHECK(wrapped.exprs.is_true(wrapped.proposition));
  Options unbounded;
  unbounded.unbounded = true;
  const auto free = lowered(text, unbounded);
  CHECK(free.unbounded);
  CHECK(observable(free, "0:r2").width == event::kUnbounded);
  CHECK(!free.exprs.is_constant(observable(free, "0:r2").value));  // overflows: somebody has to say so
  CHECK_THROWS_AS(
      free.exprs.evaluate(observable(free, "0:r2").value, [](const auto&) { return std::nullopt; }),
      event::Overflow);
}

TEST_CASE("errors about registers") {
  const auto error = [](const std::string& code, const char* part) {
    std::string message;
    try {
      lowered(one_thread(".global .u32 x;", code, "forall (true)"));
    } catch (const InputError& wrong) {
      message = wrong.what();
    }
    CHECK_MESSAGE(message.find(part) != std::string::npos, message);
  };
  error(".reg .pred %p; mov.u32 %p, 1;", "is a predicate");
  error(".reg .pred %p; ld.u32 %a, [%p];", "is in one of 32 or 64 bits");
  error(".reg .b16 %h; mov.u16 %h, %laneid;", "moves another type");
  error("add.u32 %a, %laneid, 1;", "is read by `mov` or `cvt`");
  error("add.u64 %a, x, 1;", "takes no address of a variable");
  error(".reg .u32 %a; setp.eq.u32 %a, 1, 1;", "is no predicate");
  error("mov.u32 %a, 1; @%a mov.u32 %b, 2;", "a is not a predicate");
  error("setp.eq.u32 %p, 1, 1; add.u32 %a, %p, 1;", "p is a predicate");
  error("mov.u16 %a, x;", "address of x");
  error("mov.b64 %a, 0f3F800000;", "is of type .f32 or .f64");
  for (const char* code : {".reg .u32 %r; mov.u64 %r, 1;", ".reg .u64 %a; .reg .u32 %r; add.u32 %r, %a, 1;",
                           ".reg .f32 %a; .reg .u32 %r; add.u32 %r, %a, 1;", ".reg .u32 %r; mov.f32 %r, 1.0;",
                           ".reg .f32 %a; .reg .b32 %r; cvt.rn.f16x2.f32 %a, 1.0, 2.0;"})
    CHECK_THROWS_AS(result(code), InputError);  // 9.4.1
  CHECK(result(".reg .b32 %r; mov.f32 %r, 1.0;") == 0x3f800000);
}

}  // namespace
}  // namespace ptxmc::lower

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

TEST_CASE("lop3: every table") {
  for (int table = 0; table < 256; ++table) {
    const std::string code = "lop3.b32 %r, 0xf0, 0xcc, 0xaa, " + std::to_string(table) + ";";
    CHECK_MESSAGE((result(code) & 0xff) == table, code);
  }
  CHECK_THROWS_AS(result("lop3.b32 %r, 1, 2, 3, 256;"), InputError);
  CHECK_THROWS_AS(result("lop3.b32 %r, 1, 2, 3;"), InputError);
  CHECK_THROWS_AS(result("lop3.or.b32 %r|%p, 1, 2, 3, 4, %p;"), InputError);  // not supported yet
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
      {".reg .u32 %a; .reg .u64 %r; mov.u32 %a, -1; mov.u64 %r, %a;", 0xffffffff},
      {".reg .s32 %a; mov.s32 %a, -1; mov.s64 %r, %a;", -1},
      {".reg .b64 %r; mov.u32 %r, -1;", 0xffffffff},
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
    CHECK(fails_with(one_thread(".global .u32 x;", code, "forall (true)"), part));
  };
  error(".reg .u32 %a; mov.u64 %a, 1;", "too narrow");
  error(".reg .pred %p; mov.u32 %p, 1;", "is a predicate");
  error(".reg .u32 %a; setp.eq.u32 %a, 1, 1;", "is not a predicate");
  error("mov.u32 %a, 1; @%a mov.u32 %b, 2;", "a is not a predicate");
  error("setp.eq.u32 %p, 1, 1; add.u32 %a, %p, 1;", "p is a predicate");
  error("mov.u16 %a, x;", "address of x");
}

}  // namespace
}  // namespace ptxmc::lower

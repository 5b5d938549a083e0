// SPDX-License-Identifier: Apache-2.0
// Names and constants that are likely slips (check_uses.cpp).
#include "helpers.h"

using namespace ptxmc;
using namespace ptxmc::litmus::testing;

namespace {

/// What is said of a text, a line each: "LINE:COLUMN warning: ...".
std::string said(const std::string& text) {
  std::vector<Diagnostic> all;
  try {
    litmus::parse(std::make_shared<const Source>(Source{"t", text}), &all);
  } catch (const InputError& error) {
    all = error.diagnostics();
  }
  std::string out;
  for (const Diagnostic& d : all) {
    out += std::to_string(d.position.line) + ":" + std::to_string(d.position.column) +
           (d.severity == Severity::error ? " error: " : " warning: ") + d.message + "\n";
  }
  return out;
}

/// A thread of a file with PTX declarations; `code` begins on line 4.
std::string ptx(const std::string& code, const std::string& condition = "exists (x == 1)") {
  return "PTX t\n{ .global .u32 x = 0; .global .u64 y = 0; }\nP0 @ cta 0 {\n" + code + "\n}\n" + condition +
         "\n";
}

}  // namespace

TEST_CASE("undeclared variables, where PTX declares") {
  CHECK(said(ptx("st.weak.u32 [x], 1;")) == "");
  CHECK(said(ptx("st.weak.u32 [z], 1;")) == "4:14 error: undeclared variable `z`; did you mean `x`?\n");
  CHECK(said(ptx("st.weak.u32 [x], 1;", "exists (elsewhere == 1)")) ==
        "6:9 error: undeclared variable `elsewhere`\n");
  CHECK(said(ptx(".reg .u32 %r;\nmov.u32 %r, 1;", "exists (P0:%r == 1)")) == "");
  const std::string herd = "PTX t\n{ x=0; }\n P0 ;\n st.weak x, 1 ;\n st.weak y, 1 ;\n";
  CHECK(said(herd + "exists (x == 1 /\\ y == 1)\n") == "");  // implicit, and named twice
  CHECK(said(herd + "exists (x == 1)\n") ==
        "5:10 warning: `y` occurs only here and is declared nowhere; it is zero; did you mean `x`?\n");
}

TEST_CASE("registers of the condition") {
  const std::string code = "ld.weak.u32 %r1, [x];";
  CHECK(said(ptx(code, "exists (P0:%r1 == 0)")) == "");
  CHECK(said(ptx(code, "exists (P0:%rl == 0)")) ==
        "6:9 error: P0 names no register `%rl`; did you mean `%r1`?\n");
  CHECK(said(ptx(code, "locations [P0:%q;]\nexists (true)")) == "6:12 error: P0 names no register `%q`\n");
  CHECK(said(ptx(code, "filter (P0:%other == 0)\nexists (true)")) ==
        "6:9 error: P0 names no register `%other`\n");
  CHECK(said(ptx(".reg .u32 %s;\n" + code, "exists (P0:%s == 0)")) ==
        "7:9 warning: P0 never writes register `%s`; it is zero\n");
  CHECK(said("PTX t\n{ x=0; P0:r2=1; }\n P0 ;\n ld.weak r1, x ;\nexists (P0:r3 == 0 /\\ P0:r2 == 1)\n") ==
        "5:9 warning: P0 never writes register `r3`; it is zero; did you mean `r1`?\n");
}

TEST_CASE("registers that are read before any write") {
  CHECK(said(ptx("add.u32 %r1, %r0, 1;")) ==
        "4:14 warning: register `%r0` of P0 is read before anything writes it; it is zero\n");
  CHECK(said(ptx("mov.u32 %r0, 1;\nadd.u32 %r1, %r0, 1;")) == "");
  CHECK(said(ptx("add.u32 %r0, %r0, 1;")) != "");
  CHECK(said(ptx("@%p st.weak.u32 [x], 1;")) != "");
  CHECK(said(ptx("st.weak.u32 [%rd], 1;")) != "");
  CHECK(said(ptx("mov.u32 %r0, %tid.x;")) == "");  // special registers are given
  // In a loop, what stands below may have run before.
  CHECK(said(ptx("LOOP:\n@%p bra DONE;\nld.weak.u32 %r0, [x];\nsetp.eq.u32 %p, %r0, 1;\nbra LOOP;\nDONE:")) ==
        "");
  CHECK(said(ptx("LOOP:\n@%p bra DONE;\nld.weak.u32 %r0, [x];\nbra LOOP;\nDONE:\nsetp.eq.u32 %p, %r0, 1;")) !=
        "");
  // On one path is enough.
  CHECK(said(ptx("setp.eq.u32 %p, 1, 1;\n@%p mov.u32 %r0, 1;\nst.weak.u32 [x], %r0;")) == "");
  // A matrix of which nothing is written is data that nobody asks for; one of which a part is, is not.
  const std::string mma =
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%d0, %d1, %d2, %d3}, "
      "{%a0, %a1, %a2, %a3}, {%b0, %b1}, {%c0, %c1, %c2, %c3};";
  CHECK(said(ptx(mma)) == "");
  CHECK(said(ptx("mov.b32 %a1, 0;\n" + mma)).find("register `%a0` of P0") != std::string::npos);
}

TEST_CASE("constants that do not fit") {
  CHECK(said(ptx("st.weak.u32 [x], 4294967295;\nst.weak.u32 [x], -2147483648;")) == "");
  CHECK(said(ptx("st.weak.u32 [x], 4294967296;")) ==
        "4:18 warning: `4294967296` does not fit the 32 bits of `st.weak.u32`; the rest is cut off\n");
  CHECK(said(ptx("st.weak.u8 [x], 256;")) != "");
  CHECK(said(ptx("st.weak.u64 [y], 4294967296;")) == "");
  CHECK(said(ptx("mov.u32 %r0, -2147483649;")) != "");
  CHECK(said(ptx("st.weak.u32 [x], 1;", "exists (x == 4294967296)")) ==
        "6:9 warning: `4294967296` does not fit the 32 bits of `x`; the rest is cut off\n");
  CHECK(said(ptx("ld.weak.u32 %r0, [x];", "exists (P0:%r0 == 4294967296)")) != "");
  CHECK(said(ptx("ld.weak.u64 %r0, [y];", "exists (P0:%r0 == 4294967296)")) == "");
  CHECK(said("PTX t\n{ .global .u8 b = 256; }\nP0 @ cta 0 {\nst.weak.u8 [b], 1;\n}\nexists (b == 1)\n") !=
        "");
}

TEST_CASE("data registers of another width") {
  const auto with = [](const std::string& type, const std::string& code) {
    return said(ptx(".reg ." + type + " %d;\nmov." + type + " %d, 1;\n" + code));
  };
  CHECK(with("b64", "add.u32 %r1, %d, 1;") ==
        "6:14 error: register `%d` has 64 bits, `add.u32` takes 32 here (9.4.1)\n");
  CHECK(with("b32", "add.u32 %r1, %d, 1;") == "");
  CHECK(with("s32", "add.u32 %r1, %d, 1;") == "");
  CHECK(with("b64", "st.weak.u32 [x], %d;") == "");  // st takes registers that are wider
  CHECK(with("b32", "st.weak.u64 [y], %d;") != "");
  CHECK(with("u16", "st.weak.u8 [x], %d;") == "");
  CHECK(with("u32", "cvt.u64.u32 %e, %d;") == "");
}

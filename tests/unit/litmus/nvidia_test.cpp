// SPDX-License-Identifier: Apache-2.0
#include "input/litmus/nvidia.h"

#include "helpers.h"
#include "input/litmus/compare.h"
#include "input/litmus/print.h"

using namespace ptxmc;
using namespace ptxmc::litmus;

namespace {

constexpr const char* kThreads = R"(.global x; .global f;
d0.b0.t0 { st.weak [x], 1; st.release.gpu [f], 1; }
d0.b1.t0 { ld.acquire.gpu r0, [f]; ld.weak r1, [x]; }
)";

std::vector<Test> parse_file(const std::string& text, const std::string& name = "folder/MP.test") {
  return parse_nvidia(std::make_shared<const Source>(Source{name, text}));
}

std::string errors_in(const std::string& text) {
  try {
    parse_file(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

void refused(const std::string& text, const std::string& message) {
  const std::string errors = errors_in(text);
  INFO(errors);
  const bool found = errors.find(message) != std::string::npos;
  CHECK(found);
}

/// The condition of a property of kThreads, in herd's notation.
std::string condition_of(const std::string& condition) {
  return print(
      *parse_file(std::string(kThreads) + "permit (" + condition + ") as a;").front().property.condition);
}

}  // namespace

TEST_CASE("a property is a test: permit exists, assert for all, require filters both") {
  const std::vector<Test> tests =
      parse_file(std::string(kThreads) +
                 "permit (r1 == 0) as stale;\nrequire (r0 == 1) as seen; assert (r1 == 1) as fresh;");
  REQUIRE(tests.size() == 2);
  CHECK(tests[0].name == "MP:stale");
  CHECK(tests[0].property.quantifier == Quantifier::exists);
  CHECK(tests[0].verdicts.at(0).proposition == Stated::allowed);
  CHECK(print(*tests[0].property.condition) == "(1:r1=0)");
  CHECK(print(*tests[0].property.filter) == "(1:r0=1)");
  CHECK(tests[1].name == "MP:fresh");
  CHECK(tests[1].property.quantifier == Quantifier::forall);
  CHECK(tests[1].verdicts.at(0).proposition == Stated::required);
  CHECK(print(*tests[1].property.filter) == "(1:r0=1)");
  CHECK(tests[1].verdicts.at(0).position.line == 5);
}

TEST_CASE("the program of a test is that of the same litmus file") {
  const Test wanted = testing::parse_text(R"(PTX MP:a
Verdict=Allowed
{ x; f = 3; y aliases x; s @ surface aliases y; t @ texture aliases x; c @ constant aliases x; }
P0 @ gpu 0, cta 4 { st.weak [x], 1; st.release.gpu [f], 1; }
P1 @ gpu 2, cta 1 { ld.acquire.gpu r0, [f]; ld.weak r1, x; suld.weak %q, s; }
exists (1:r0 = 1 /\ 1:r1 = 0)
)");
  const Test found = parse_file(R"(.global x; /* all kinds */ .global f = 3;
.global y physically aliases x;
.surfref s virtually aliases y; .texref t virtually aliases x; .constref c virtually aliases x;
d0.b4.t0 { st.weak [x], 1; st.release.gpu [f], 1; }
d2.b1.t3 { ld.acquire.gpu r0, [f]; ld.weak r1, x; suld.weak %q, s; }
permit (r0 == 1 && r1 == 0) as a;
)")
                         .front();
  CHECK(difference(wanted, found) == "");
}

TEST_CASE("types, several names, shared memory") {
  const Test test = parse_file(R"(.global .u32 x = 1, y; .shared b;
d0.b0.t0 { ld.weak r0, [x]; ld.weak r1, [b]; }
permit (true) as a;)")
                        .front();
  REQUIRE(test.variables.size() == 3);
  CHECK(test.variables[0].type == isa::Type{isa::TypeClass::unsigned_, 32});
  CHECK(test.variables[1].type == test.variables[0].type);
  CHECK(test.variables[2].space == isa::Space::shared);
  CHECK_FALSE(test.variables[2].ptx_form);
}

TEST_CASE("expected values") {
  const Test one = parse_file(R"(.global x;
d0.b0.t0 { ld.weak r0, [x] == 2; atom.add.relaxed.gpu r1, [x], 1 != -1; }
permit (true) as a;)")
                       .front();
  CHECK(print(*one.property.filter) == "(0:r0=2 /\\ 0:r1!=-1)");
  CHECK(one.threads[0].code().size() == 2);

  // r0 is written again: what the first read returned is kept in another register, of its type.
  const Test two = parse_file(R"(.global .u32 x; .global .u32 y;
d0.b0.t0 { .reg .u32 r0, r0_read0; ld.weak r0, [x] == 2; ld.weak r0, [y] == 1; mov r1, r0; }
permit (true) as a;)")
                       .front();
  CHECK(print(*two.property.filter) == "(0:r0_read1=2 /\\ 0:r0_read2=1)");
  REQUIRE(two.threads[0].code().size() == 5);
  CHECK(two.threads[0].code()[1].opcode == isa::Opcode::mov);
  CHECK(two.threads[0].registers().size() == 4);
  CHECK(two.threads[0].registers().back().type == two.threads[0].registers().front().type);
}

TEST_CASE("conditions") {
  CHECK(condition_of("r0 == 1 && r1 != 0 || [x] < 2") == "(1:r0=1 /\\ 1:r1!=0 \\/ [x]<2)");
  CHECK(condition_of("r0 = 1 /\\ !(x > 2 \\/ ~ f >= 3)") == "(1:r0=1 /\\ not ([x]>2 \\/ not ([f]>=3)))");
  CHECK(condition_of("d0.b1.t0.r1 == 0") == "(1:r1=0)");
  CHECK(condition_of("d0.b1.t0:%r1 == &x && not true") == "(1:r1=&x /\\ not (true))");
  CHECK(condition_of("b1.t0.%r1 <= -1 => false") == "(1:r1<=-1 => false)");
  refused(std::string(kThreads) + "permit (r7 == 0) as a;",
          "4:9: error: `r7` is neither a variable nor a register");
  refused(std::string(kThreads) + "permit (d0.b0.t0.r1 == 0) as a;",
          "4:9: error: this thread has no register `r1`");
  refused(std::string(kThreads) + "permit (d1.r1 == 0) as a;", "there is no such thread");
  refused(std::string(kThreads) + "permit (e1.r1 == 0) as a;", "expected a part of a thread's place");
  refused(std::string(kThreads) + "permit ([y] == 0) as a;", "expected a variable, found `y`");
  refused(std::string(kThreads) + "permit (r0 == 1 & r1 == 1) as a;", "expected `&&`, `||` or the end");
  refused(std::string(kThreads) + "permit (r0) as a;", "expected a comparison");
  refused(std::string(kThreads) + "permit (" + std::string(1000, '(') + "true" + std::string(1000, ')') +
              ") as a;",
          "nested too deeply");
}

TEST_CASE("a register of two threads needs its thread") {
  const std::string program = ".global x; d0.b0.t0 { ld.weak r0, [x]; } d0.b0.t1 { ld.weak r0, [x]; }\n";
  refused(program + "permit (r0 == 0) as a;", "2:9: error: several threads have a register `r0`");
  CHECK(print(*parse_file(program + "permit (t1.r0 == 0) as a;").front().property.condition) == "(1:r0=0)");
}

TEST_CASE("tables") {
  const std::vector<Test> tests = parse_file(R"(.global x;
d0.b0.t0 { $1; ld.$2 r0, [x] == $3; }  // $9 in a comment is no placeholder
$4 (r0 == $3) as p$2;
$$  // rows
st.weak [x], 1 | weak    | 1 | permit  // first
 // comment

               | relaxed.gpu | 0 | assert
)");
  REQUIRE(tests.size() == 2);
  CHECK(tests[0].name == "MP:pweak#1");
  CHECK(tests[1].name == "MP:prelaxed.gpu#2");
  CHECK(tests[0].threads[0].code().size() == 2);
  CHECK(tests[1].threads[0].code().size() == 1);
  CHECK(tests[1].threads[0].code()[0].modifiers.semantics == isa::Semantics::relaxed);
  CHECK(tests[0].property.quantifier == Quantifier::exists);
  CHECK(tests[1].property.quantifier == Quantifier::forall);
  CHECK(tests[0].source->name == "folder/MP.test");
  CHECK(tests[0].source->line(2).starts_with("d0.b0.t0 { st.weak [x], 1; ld.weak r0"));

  // Without bars blanks separate cells; one column takes the whole row.
  const std::string program = ".global x; d0.b0.t0 { ld.$1 r0, [x]; } permit (r0 == $2) as a;\n$$\n";
  CHECK(parse_file(program + "weak 0\n\trelaxed.gpu\t 1 ").size() == 2);
  CHECK(parse_file(".global x; d0.b0.t0 { $1; } permit (true) as a;\n$$\n ld.weak r0, [x]\n").size() == 1);
}

TEST_CASE("cells count from 0, or from 1 where no row has a cell for $0") {
  const std::string thread = "d0.b0.t0 { ";
  const std::string program =
      ".global x;\n" + thread + "$0 [x], 1; $1 ld.weak r0, [x]; }\n$2 (r0 $3 1) as p;\n$$\n";
  const std::vector<Test> tests = parse_file(program + R"(# TYPE | FENCE | WORD | SIGN
st.weak |                       | assert | ==

st.weak | fence.sc.gpu;         | permit | !=
# st.weak | no row              |
)");
  REQUIRE(tests.size() == 2);
  CHECK(tests[0].threads[0].code().size() == 2);
  CHECK(tests[1].threads[0].code().size() == 3);
  CHECK(tests[1].property.quantifier == Quantifier::exists);
  // $0 is not used, and has a cell.
  CHECK(
      parse_file(".global x; d0.b0.t0 { $1; } permit (true) as a;\n$$\nunused | ld.weak r0, [x]\n").size() ==
      1);
}

TEST_CASE("words of the published files: check, ldc, fence.alias, accesses without an order") {
  const Test test = parse_file(R"(.global x; .global y physically aliases x; .constref c virtually aliases x;
d0.b0.t0 { st [x], 1; fence.alias; ldc r0, [c]; ld r1, [y] == 1; }
check (r0 == 1) as seen;)")
                        .front();
  CHECK(test.name == "MP:check_seen");
  CHECK(test.property.quantifier == Quantifier::exists);
  CHECK(test.verdicts.at(0).proposition == Stated::allowed);
  const auto& code = test.threads[0].code();
  REQUIRE(code.size() == 4);
  CHECK(code[0].modifiers.semantics == isa::Semantics::weak);
  CHECK(code[1].opcode == isa::Opcode::fence_proxy);
  CHECK(code[1].modifiers.proxy == isa::Proxy::alias);
  CHECK(code[2].modifiers.proxy == isa::Proxy::constant);
}

TEST_CASE("errors of a table are those of the file's text") {
  const std::string program = ".global x;\nd0.b0.t0 { ld.$1 r0, [x]; foo; } permit (r0 == $2) as a;\n$$\n";
  const std::string errors = errors_in(program + "wek 0\nweak 1 \n weak q\n");
  INFO(errors);
  CHECK(errors.find("2:14: error: unknown modifier `.wek`") != std::string::npos);
  CHECK(errors.find("(`$1` is `wek` in line 4)") != std::string::npos);
  CHECK(errors.find("d0.b0.t0 { ld.$1 r0, [x]; foo; }") != std::string::npos);
  CHECK(errors.find("2:48: error: `q` is neither") != std::string::npos);
  const std::size_t common = errors.find("2:27: error: unknown instruction `foo`");
  CHECK(common != std::string::npos);
  CHECK(errors.find("unknown instruction `foo`", common + 30) == std::string::npos);
  CHECK(errors.find("with the cells of") == std::string::npos);

  refused(program + "weak 0\nweak 1 2\n", "5:1: error: expected 2 cells for `$1` to `$2`, found 3");
  refused(program + "weak $1\n", "4:6: error: a cell cannot hold a placeholder");
  refused(program, "3:1: error: no rows below `$$`");
  refused(program.substr(0, program.find("$$")), "2:15: error: `$1` without a table");
  refused(".global x; d0.b0.t0 { $100; }\n$$\n a", "1:23: error: expected a placeholder from `$0` to `$99`");
  refused(".global x; d0.b0.t0 { $0 $1; }\n$$\n a|b|c",
          "3:2: error: expected 2 cells for `$0` to `$1`, found 3");
  refused(".global x;\n$$\n a", "2:1: error: a table, but no `$0`");
}

TEST_CASE("what only some rows make wrong names a row") {
  const std::string errors =
      errors_in(".global x;\nd0.b0.t0 { ld.weak r0$1 [x]; } permit (true) as a;\n$$\n,\n :\n ;\n");
  INFO(errors);
  CHECK(errors.find("(`$1` is `:` in line 5)") != std::string::npos);
  CHECK(errors.find("2:25: error: expected an instruction, found `[` (with the cells of line 6)") !=
        std::string::npos);
}

TEST_CASE("errors name their place") {
  refused(".globl x;",
          "1:1: error: expected .global, .shared, .surfref, .texref or .constref, found `.globl`");
  refused(".global y physically aliases x;", "1:30: error: `x` is not declared");
  refused(".global x; .global y virtually aliases x;", "1:22: error: expected `physically aliases`");
  refused(".global x; .surfref s physically aliases x;", "1:23: error: expected `virtually aliases`");
  refused(".surfref s;", "expected `virtually aliases`");
  refused(".global x; .surfref s virtually aliases x; .texref t virtually aliases s;",
          "1:72: error: `s` is a name of the surface proxy, expected a generic name");
  refused(".global x; .global x;", "variable `x` is declared twice");
  refused(".global r0;", "expected a variable, found `r0`");
  refused(".global x\nd0.b0.t0 {}", "1:10: error: expected `;` at the end of the declaration");
  refused("d0.b0 { }", "1:7: error: expected a thread such as t0, found `{`");
  refused("d0.b0.t99999 { }", "expected a thread such as t0");
  refused("d0.b0.t0 { } d0.b0.t0 { }", "1:14: error: thread d0.b0.t0 occurs twice");
  refused("d0.b0.t0 { ld.weak r0, [x]; } permit (true) as a;", "1:25: error: `x` is not declared");
  refused("d0.b0.t0 { ld.weak r0, [x]", "expected `}` at the end of the code of d0.b0.t0");
  refused("d0.b0.t0 { ld.weak r0 : [x]; }", "1:23: error: expected `,` or `;`");
  refused(".global x; d0.b0.t0 { st.weak [x], 1 == 1; }",
          "1:38: error: an expected value stands after a read");
  refused(".global x; d0.b0.t0 { @%p ld.weak r0, [x] == 1; }", "an expected value of a guarded read");
  refused(".global x; d0.b0.t0 { ld.weak r0, [x] == r1; }", "expected the value that the read must return");
  refused(".global x; d0.b0.t0 { ld.weak r0, [x] == 1 2; }", "expected `;`");
  refused("foo", "expected a declaration, a thread such as d0.b1.t0, permit, assert or require");
  refused("", "expected a thread such as");
  refused(kThreads, "expected a property");
  refused(std::string(kThreads) + "require (true);", "expected a property");
  refused(std::string(kThreads) + "permit (true);", "4:14: error: expected `as` and the name");
  refused(std::string(kThreads) + "permit (true) as ;", "expected the name of the property");
  refused(std::string(kThreads) + "permit (true) as a b;",
          "4:20: error: the name of a property has no blanks");
  refused(std::string(kThreads) + "permit (true) as a; assert (true) as a;",
          "4:21: error: the name `a` occurs twice");
  refused(std::string(kThreads) + "permit (true) as a", "expected `;` at the end of the property");
  refused(std::string(kThreads) + "permit true as a;", "expected `(` and the condition");
}

// SPDX-License-Identifier: Apache-2.0
// Functions that are called: lifetimes of their local variables, and such as do not return.
#include "dynamic/exec/local_variables.h"
#include "ran.h"

namespace ptxmc::exec {
namespace {

/// A function that gives the address of its variable, or the variable's value as it is at first.
constexpr const char* kFunctions =
    ".func (.param .b64 o) leak() {\n"
    " .reg .b64 %rd<3>; .local .align 8 .b32 l[4];\n"
    " mov.u64 %rd1, l; cvta.local.u64 %rd1, %rd1; st.param.b64 [o], %rd1; ret; }\n"
    ".func (.param .b32 o) keep(.param .b32 i) {\n"
    " .reg .b32 %r<3>; .local .align 4 .b32 m;\n"
    " ld.param.b32 %r1, [i]; ld.local.u32 %r2, [m]; st.local.u32 [m], %r1; st.param.b32 [o], %r2; ret; }\n"
    ".func store(.param .b64 p) {\n"
    " .reg .b64 %rd<3>; ld.param.b64 %rd1, [p]; st.u32 [%rd1], 1; ret; }\n"
    ".func lend() {\n"
    " .reg .b64 %rd<3>; .local .align 8 .b32 n[4];\n"
    " mov.u64 %rd1, n; cvta.local.u64 %rd1, %rd1;\n"
    " { .param .b64 p; st.param.b64 [p], %rd1; call store, (p); } ret; }\n"
    ".func never(.param .b32 i) .noreturn {\n"
    " .reg .b32 %r<3>; .reg .pred %p<2>; ld.param.b32 %r1, [i]; setp.ne.u32 %p1, %r1, 0; @%p1 exit; ret; }\n"
    ".func falls() .noreturn { .reg .b32 %r<3>; mov.u32 %r1, 1; }\n"
    ".func (.param .b64 o) hold(.param .b64 p) {\n"
    " .reg .b64 %rd<3>; .reg .pred %p<2>; .local .align 8 .b32 h[4];\n"
    " ld.param.b64 %rd1, [p]; setp.ne.u64 %p1, %rd1, 0; @%p1 st.u32 [%rd1], 1;\n"
    " mov.u64 %rd2, h; cvta.local.u64 %rd2, %rd2; st.param.b64 [o], %rd2; ret; }\n"
    ".func (.param .b32 o) once(.param .b32 i) {\n"  // in the first turn alone it writes its registers, and what it returns
    " .reg .b32 %r<3>; .reg .pred %p<2>;\n"
    " ld.param.b32 %r1, [i]; setp.eq.u32 %p1, %r1, 0; @!%p1 bra READ; mov.u32 %r2, 7; st.param.b32 [o], 7;\n"
    "READ: setp.eq.u32 %p1, %r2, 7; @%p1 bar.sync 0; ret; }\n"
    ".func (.param .b32 o) told(.param .b32 i) {\n"
    " .reg .b32 %r<3>; .reg .pred %p<2>;\n"
    " ld.param.b32 %r1, [i]; setp.eq.u32 %p1, %r1, 0; @!%p1 bra DONE; st.param.b32 [o], 7;\nDONE: ret; }\n"
    ".func always(.param .b32 i) {\n"
    " .reg .b32 %r<3>; .reg .pred %p<2>;\n"
    " ld.param.b32 %r1, [i]; setp.eq.u32 %p1, %r1, 0; @%p1 bra READ; mov.u32 %r2, 8; bra.uni LAST;\n"
    "READ: mov.u32 %r2, 7;\nLAST: setp.eq.u32 %p1, %r2, 7; @%p1 bar.sync 0; ret; }\n";

constexpr const char* kLeaks = "{ .param .b64 b; call (b), leak; ld.param.b64 %rd10, [b]; }\n";

std::string keeps(const std::string& value) {
  return "{ .param .b32 a; .param .b32 b; st.param.b32 [a], " + value +
         "; call (b), keep, (a); ld.param.b32 %r10, [b]; }\n";
}
std::string never(const std::string& value) {
  return "{ .param .b32 a; st.param.b32 [a], " + value + "; call never, (a); }\n";
}

/// Two turns, counted in %r19.
std::string twice(const std::string& turn) {
  return "mov.u32 %r19, 0;\nTURN:\n" + turn +
         "add.u32 %r19, %r19, 1; setp.lt.u32 %p2, %r19, 2; @%p2 bra TURN;\n";
}

Sources decided_by(const Ran& ran) {
  Sources out = 0;
  for (const Decision& decision : ran.outcome.decisions) out = static_cast<Sources>(out | decision.sources);
  return out;
}

bool rests_on_contents(const Ran& ran) {
  return (decided_by(ran) & bit(Source::data)) != 0;
}

}  // namespace

TEST_CASE("a local variable ends when its function returns") {
  CHECK(Ran(std::string(kLeaks) + "st.u32 [%rd10], %r1;", "32", kFunctions).fault() == "out-of-bounds");
  CHECK(Ran(std::string(kLeaks) + "ld.u32 %r9, [%rd10+4];", "1", kFunctions).fault() == "out-of-bounds");
  CHECK(Ran("call lend;", "32", kFunctions).outcome.faults.empty());
}

TEST_CASE("each call of a function has local variables of its own, with any contents") {
  const std::string branch = "setp.eq.u32 %p1, %r10, 7; @%p1 bar.sync 0;";
  const Ran second(keeps("7") + keeps("8") + branch, "32", kFunctions);
  CHECK(second.outcome.faults.empty());
  CHECK(rests_on_contents(second));
}

TEST_CASE("the variable of one call is none of the next call") {
  const std::string held =
      "{ .param .b64 a; .param .b64 b; st.param.b64 [a], %rd10; call (b), hold, (a);\n"
      "  ld.param.b64 %rd10, [b]; }\n";
  CHECK(Ran("mov.u64 %rd10, 0;" + twice(held), "1", kFunctions).fault() == "out-of-bounds");
  const std::string anew = "mov.u64 %rd10, 0;" + held;
  CHECK(Ran(twice(anew), "1", kFunctions).outcome.faults.empty());
  const std::string compared = twice(std::string(kLeaks) +
                                     "setp.eq.u32 %p1, %r19, 0; @%p1 mov.u64 %rd11, %rd10;\n"
                                     "setp.eq.u64 %p1, %rd10, %rd11; @%p1 bar.sync 0;\n");
  CHECK((decided_by(Ran(compared, "32", kFunctions)) & bit(Source::place)) != 0);
}

TEST_CASE("registers of a function and what it returns have any value until the call writes them") {
  const auto called = [](const std::string& function, const std::string& behind) {
    return twice("{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r19; call (b), " + function +
                 ", (a); ld.param.b32 %r10, [b]; }\n" + behind);
  };
  CHECK(open(decided_by(Ran(called("once", ""), "32", kFunctions))) != 0);
  CHECK(open(decided_by(Ran(called("told", ""), "32", kFunctions))) == 0);
  CHECK(open(decided_by(
            Ran(called("told", "setp.eq.u32 %p1, %r10, 7; @%p1 bar.sync 0;\n"), "32", kFunctions))) != 0);
  const std::string always = twice("{ .param .b32 a; st.param.b32 [a], %r19; call always, (a); }\n");
  CHECK(open(decided_by(Ran(always, "32", kFunctions))) == 0);
}

TEST_CASE("a call does not keep the carry flag") {
  const auto carried = [](const std::string& between) {
    return "mov.u32 %r2, 0xffffffff; add.cc.u32 %r2, %r2, %r2;\n" + between +
           "addc.u32 %r3, 0, 0; setp.eq.u32 %p1, %r3, 1; @%p1 bar.sync 0;\n";
  };
  CHECK(open(decided_by(Ran(carried(""), "32", kFunctions))) == 0);
  CHECK(open(decided_by(Ran(carried("call lend;\n"), "32", kFunctions))) != 0);
}

TEST_CASE("what one call has passed, the next one has not") {
  const std::string passed = "@%p3 st.param.b32 [a], 7;\n";
  const auto called = [&](const std::string& first) {
    return "{ .param .b32 a;\n" + twice("setp.eq.u32 %p3, %r19, 0;\n" + first + "call always, (a);\n") +
           "}\n";
  };
  CHECK(open(decided_by(Ran(called("st.param.b32 [a], 7;\n"), "32", kFunctions))) == 0);
  CHECK(open(decided_by(Ran(called(passed), "32", kFunctions))) != 0);
}

TEST_CASE("local variables of one name are of their functions") {
  const std::string own = ".local .align 8 .b32 l[2];\n" + std::string(kLeaks);
  CHECK(Ran(own + "st.local.u32 [l+4], 1;", "1", kFunctions).outcome.faults.empty());
  CHECK(Ran(own + "st.local.u32 [l+8], 1;", "1", kFunctions).fault() == "out-of-bounds");
}

TEST_CASE("a function that is .noreturn must not return") {
  CHECK(Ran(never("0"), "32", kFunctions).fault() == "trap");
  CHECK(Ran(never("1"), "32", kFunctions).outcome.faults.empty());
  CHECK(Ran("call falls;", "32", kFunctions).outcome.faults.at(0).misuse == Misuse::returns);
  CHECK(Ran("trap;", "32", kFunctions).outcome.faults.at(0).misuse == Misuse::none);
  CHECK(Ran("mov.u64 %rd10, 0; { .param .b64 a; st.param.b64 [a], %rd1; call %rd10, (a), proto; }\n"
            "proto: .callprototype _ (.param .b64 _);",
            "1", kFunctions)
            .outcome.faults.at(0)
            .misuse == Misuse::call);
  CHECK(Ran("mov.u32 %r2, 7; ts: .branchtargets A; brx.idx %r2, ts;\nA:", "1").outcome.faults.at(0).misuse ==
        Misuse::branch);
  const auto by = [](const std::string& prototype) {
    return "mov.u64 %rd10, store; { .param .b64 a; st.param.b64 [a], %rd1; call %rd10, (a), proto; }\n"
           "proto: .callprototype _ (.param .b64 _)" +
           prototype + ";\n";
  };
  CHECK(Ran(by(""), "1", kFunctions).outcome.faults.empty());
  CHECK(Ran(by(" .noreturn"), "1", kFunctions).fault() == "trap");
}

}  // namespace ptxmc::exec

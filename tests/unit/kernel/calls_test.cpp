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
    ".func falls() .noreturn { .reg .b32 %r<3>; mov.u32 %r1, 1; }\n";

constexpr const char* kLeaks = "{ .param .b64 b; call (b), leak; ld.param.b64 %rd10, [b]; }\n";

std::string keeps(const std::string& value) {
  return "{ .param .b32 a; .param .b32 b; st.param.b32 [a], " + value +
         "; call (b), keep, (a); ld.param.b32 %r10, [b]; }\n";
}
std::string never(const std::string& value) {
  return "{ .param .b32 a; st.param.b32 [a], " + value + "; call never, (a); }\n";
}

bool rests_on_contents(const Ran& ran) {
  for (const Decision& decision : ran.outcome.decisions) {
    if ((decision.sources & bit(Source::data)) != 0) return true;
  }
  return false;
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

TEST_CASE("local variables of one name are of their functions") {
  const std::string own = ".local .align 8 .b32 l[2];\n" + std::string(kLeaks);
  CHECK(Ran(own + "st.local.u32 [l+4], 1;", "1", kFunctions).outcome.faults.empty());
  CHECK(Ran(own + "st.local.u32 [l+8], 1;", "1", kFunctions).fault() == "out-of-bounds");
}

TEST_CASE("a function that is .noreturn must not return") {
  CHECK(Ran(never("0"), "32", kFunctions).fault() == "trap");
  CHECK(Ran(never("1"), "32", kFunctions).outcome.faults.empty());
  CHECK(Ran("call falls;", "32", kFunctions).fault() == "trap");
}

}  // namespace ptxmc::exec

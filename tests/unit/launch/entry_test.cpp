// SPDX-License-Identifier: Apache-2.0
#include "input/launch/entry.h"

#include <doctest/doctest.h>

#include "../contains.h"
#include "input/launch/list.h"
#include "launched.h"

namespace ptxmc::launch {
namespace {

using ptxmc::testing::contains;

const char* const kTwo =
    ".visible .entry _Z4copyPKfPfj(.param .u64 a, .param .u64 b, .param .u32 n) .reqntid 128 { ret; }\n"
    ".visible .entry _Z5copy2Pf(.param .u64 a) { ret; }\n";

TEST_CASE("an entry by a part of its name") {
  const ptx::Module module = module_of(kTwo);
  const auto named = [&](const std::string& name) { return find_entry(module, name, nullptr, {}).name.name; };
  CHECK(named("copy2") == "_Z5copy2Pf");
  CHECK(named("_Z4copyPKfPfj") == "_Z4copyPKfPfj");
  CHECK(named("copy(float const*") == "_Z4copyPKfPfj");
  const auto error = [&](const std::string& name) { return error_of([&] { named(name); }); };
  CHECK(named("copy") == "_Z4copyPKfPfj");  // its whole name, not a part of one
  CHECK(contains(error("cop"), "is a part of 2 names: `copy(float const*, float*, unsigned int)`"));
  CHECK(contains(error("cpoy2"), "did you mean `copy2`?"));
  CHECK(contains(error(""), "which entry?"));
  CHECK(find_entry(module_of(".entry k() { ret; }"), "", nullptr, {}).name.name == "k");
  CHECK(contains(error_of([] { find_entry(module_of(""), "", nullptr, {}); }), "has no .entry"));
}

TEST_CASE("a module as a list") {
  const std::string text = list(module_of(kTwo), "races", "m.ptx");
  CHECK(contains(text, "Entry copy(float const*, float*, unsigned int)\n  name       _Z4copyPKfPfj\n"));
  CHECK(contains(text, "  param 2    .u32, 4 bytes, align 4: unsigned int\n"));
  CHECK(contains(text, "  block      128x1x1 (.reqntid)\n"));
  CHECK(contains(text,
                 "ptxmc races m.ptx --entry copy --grid 1 --block 128 --arg buffer:4K --arg "
                 "buffer:4K --arg 1\n"));
  CHECK(contains(text, "ptxmc races m.ptx --entry copy2 --grid 1 --block 1 --arg buffer:4K\n"));
}

TEST_CASE("shared memory in the list") {
  const std::string text =
      list(module_of(".extern .shared .align 16 .b8 dyn[];\n.entry k(.param .align 8 .b8 p[24]) {\n"
                     ".shared .align 4 .b8 s[1000]; .shared .u32 t; .reg .b32 %r<4>;\n"
                     "mov.u32 %r0, s; ld.shared.u32 %r1, [t]; st.shared.u32 [dyn], %r1; ret; }"),
           "check", "m.ptx");
  CHECK(contains(text, "  shared     1004 bytes in 2 variables\n"));
  CHECK(contains(text, "  dynamic    dyn, align 16\n"));
  CHECK(contains(text, "--shared 1K --arg blob:24\n"));
}

TEST_CASE("entries with template arguments and namespaces") {
  const ptx::Module module = module_of(
      ".entry _ZN1n5templILi32EfEEvPT0_(.param .u64 a) { ret; }\n"
      ".entry _ZN1n5templILi64EiEEvPT0_(.param .u64 a) { ret; }\n"
      ".entry _ZN12_GLOBAL__N_13oneEv() { ret; }");
  for (const ptx::Function* function : entries_of(module)) {
    CAPTURE(demangled(function->name.name));
    CHECK(short_function_name(function->name.name) == (function->parameters.empty() ? "one" : "templ"));
  }
  CHECK(find_entry(module, "templ<32", nullptr, {}).name.name == "_ZN1n5templILi32EfEEvPT0_");
  CHECK(contains(error_of([&] { find_entry(module, "templ", nullptr, {}); }), "is a part of 2 names"));
  CHECK(contains(list(module, "verify", "m.ptx"),
                 "--entry 'templ<64, int>' --grid 2 --block 128 --arg buffer:4K\n"));
}

TEST_CASE("who reads the address of the grid's workspace is launched cooperatively") {
  const auto text = [](const char* special) {
    return list(module_of(std::string(".entry k() { .reg .b32 %r; mov.u32 %r, ") + special + "; ret; }"),
                "verify", "m.ptx");
  };
  CHECK(contains(text("%envreg1"), "--cooperative"));
  CHECK(text("%ctaid.x").find("--cooperative") == std::string::npos);
}

TEST_CASE("the last identifier of a name") {
  CHECK(short_function_name("kernel") == "kernel");
  CHECK(short_function_name("_Z4copyPKfPfj") == "copy");
  CHECK(short_function_name("_ZN1n5templILi32EfEEvPT0_") == "templ");
  CHECK(short_function_name("_ZN1n5templIJ") == "templ");  // which no demangler takes
  CHECK(short_function_name("_Z99x") == "_Z99x");
  CHECK(short_variable_name("_ZZ9block_sumPKfPfiE1s") == "s");
  CHECK(short_variable_name("smem") == "smem");
}

TEST_CASE("what the code takes out of a structure is in the command line") {
  const std::string text = list(module_of(".entry _Z1k6Paramsm(.param .align 8 .b8 p[40], .param .u64 n) {\n"
                                          ".reg .b64 %rd<4>; .reg .b32 %r<4>; .reg .f32 %f;\n"
                                          "ld.param.v2.u32 {%r0, %r1}, [p+16]; ld.param.f32 %f, [p+32];\n"
                                          "ld.param.u64 %rd1, [p+8]; cvta.to.global.u64 %rd2, %rd1; ret; }"),
                                "verify", "m.ptx");
  CHECK(contains(
      text,
      "  param 0    .b8[40], 40 bytes, align 8: Params; address at 8, u32 at 16, u32 at 20, f32 at 32\n"));
  CHECK(contains(text, "--arg blob:40,8=buffer:4K,16=u32:256,20=u32:256,32=f32:1.0 --arg 256\n"));
}

}  // namespace
}  // namespace ptxmc::launch

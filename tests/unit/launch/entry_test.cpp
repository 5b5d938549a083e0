// SPDX-License-Identifier: Apache-2.0
#include "launch/entry.h"

#include <doctest/doctest.h>

#include "../contains.h"
#include "launch/list.h"
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
  CHECK(contains(error("copy"), "is a part of 2 names: `copy(float const*, float*, unsigned int)`"));
  CHECK(contains(error("cpoy2"), "did you mean `copy2`?"));
  CHECK(contains(error(""), "which entry?"));
  CHECK(find_entry(module_of(".entry k() { ret; }"), "", nullptr, {}).name.name == "k");
  CHECK(contains(error_of([] { find_entry(module_of(""), "", nullptr, {}); }), "has no .entry"));
}

TEST_CASE("a module as a list") {
  const std::string text = list(module_of(kTwo), "races");
  CHECK(contains(text, "Entry copy(float const*, float*, unsigned int)\n  name       _Z4copyPKfPfj\n"));
  CHECK(contains(text, "  param 2    .u32, 4 bytes, align 4\n"));
  CHECK(contains(text, "  block      128x1x1 (.reqntid)\n"));
  CHECK(contains(text,
                 "ptxmc races m.ptx --entry _Z4copyPKfPfj --grid 1 --block 128,1,1 --arg buffer:4K --arg "
                 "buffer:4K --arg 1\n"));
  CHECK(contains(text, "ptxmc races m.ptx --entry copy2 --grid 1 --block 1 --arg buffer:4K\n"));
}

TEST_CASE("shared memory in the list") {
  const std::string text =
      list(module_of(".extern .shared .align 16 .b8 dyn[];\n.entry k(.param .align 8 .b8 p[24]) {\n"
                     ".shared .align 4 .b8 s[1000]; .shared .u32 t; ret; }"),
           "check");
  CHECK(contains(text, "  shared     1004 bytes in 2 variables\n"));
  CHECK(contains(text, "  dynamic    dyn, align 16\n"));
  CHECK(contains(text, "--shared 1K --arg blob:24\n"));
}

}  // namespace
}  // namespace ptxmc::launch

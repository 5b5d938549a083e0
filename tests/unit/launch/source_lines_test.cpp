// SPDX-License-Identifier: Apache-2.0
#include "launch/source_lines.h"

#include <doctest/doctest.h>

#include "launched.h"

namespace ptxmc::launch {
namespace {

TEST_CASE("instructions know the lines that they were compiled from") {
  const ptx::Module module = module_of(
      ".file 1 \"/a/b/k.cu\"\n.file 2 \"h.h\"\n"
      ".entry k() {\n.reg .u32 %r;\nmov.u32 %r, 0;\n.loc 1 7 3\nmov.u32 %r, 1;\nmov.u32 %r, 2;\n"
      ".loc 2 9 1, function_name f, inlined_at 1 8 1\nmov.u32 %r, 3;\n.loc 3 1 1\nmov.u32 %r, 4;\n}\n"
      ".func f() {\nret;\n}\n");
  const std::map<std::uint32_t, std::string> lines = source_lines(module);
  CHECK(lines == std::map<std::uint32_t, std::string>{{10, "k.cu:7"}, {11, "k.cu:7"}, {13, "h.h:9"}});
}

}  // namespace
}  // namespace ptxmc::launch

// SPDX-License-Identifier: Apache-2.0
#include "ptx/flow/jumps.h"

#include <doctest/doctest.h>

#include "input/litmus/parse.h"
#include "ptx/flow/blocks.h"

namespace ptxmc::flow {
namespace {

Code code_of(const std::string& body) {
  const program::Program program = litmus::parse(std::make_shared<Source>(
      Source{"test.litmus", "PTX test\n{ .global .u32 x; }\nP0 @ cta 0 { .reg .pred %p; .reg .u32 %r;\n" +
                                body + "\n}\nexists (x == 1)\n"}));
  return program.threads[0].code();
}

TEST_CASE("control goes to labels, to the end, and past what has a guard") {
  const Code code = code_of(
      "again: ld.relaxed.gpu.u32 %r, [x];\nsetp.eq.u32 %p, %r, 0;\n@%p bra again;\n@!%p exit;\nbra last;\n"
      "trap;\nlast: st.relaxed.gpu.u32 [x], 1;");
  const Jumps jumps = jumps_of(code);
  REQUIRE(jumps.of.size() == 7);
  CHECK_FALSE(jumps.repeated.has_value());
  CHECK_FALSE(jumps.astray.has_value());
  CHECK_FALSE(jumps.of[0].target.has_value());
  CHECK(jumps.of[2].target == 0U);
  CHECK(jumps.of[2].falls_through);
  CHECK(jumps.of[3].target == code.size());
  CHECK(jumps.of[3].falls_through);
  CHECK(jumps.of[4].target == 6U);
  CHECK_FALSE(jumps.of[4].falls_through);
  CHECK(jumps.of[5].target == code.size());
  CHECK_FALSE(jumps.of[5].falls_through);
  const Graph next = successors(jumps.of);
  CHECK(next == Graph{{1}, {2}, {3, 0}, {4, 7}, {6}, {7}, {7}, {}});
}

TEST_CASE("a label that stands twice or nowhere is told") {
  Code code = code_of("here: ld.relaxed.gpu.u32 %r, [x];\nthere: bra here;");
  code[1].labels = {"here"};
  CHECK(jumps_of(code).repeated == 1U);
  code[1].labels.clear();
  code[0].labels = {"elsewhere"};
  CHECK(jumps_of(code).astray == 1U);
  CHECK(jumps_of(code).of[1].falls_through);
  CHECK_FALSE(blocks_of(code).has_value());
}

TEST_CASE("blocks that only jump on are passed, and loops know what is around them") {
  const Code code = code_of(
      "outer: ld.relaxed.gpu.u32 %r, [x];\ninner: setp.eq.u32 %p, %r, 0;\n@%p bra inner;\n@!%p bra hop;\nexit;\n"
      "hop: bra outer;");
  const auto blocks = blocks_of(code);
  REQUIRE(blocks.has_value());
  REQUIRE(blocks->loops.size() == 2);
  const std::size_t outer = blocks->loops[0].parent == kNowhere ? 0 : 1, inner = 1 - outer;
  CHECK(blocks->loops[inner].parent == outer);
  CHECK(blocks->innermost[blocks->loops[inner].header] == inner);
  CHECK(blocks->blocks[blocks->loops[outer].header].begin == 0);
  for (const CodeBlock& block : blocks->blocks)
    CHECK((block.target == kNowhere || code[blocks->blocks[block.target].begin].opcode != isa::Opcode::bra));
}

}  // namespace
}  // namespace ptxmc::flow

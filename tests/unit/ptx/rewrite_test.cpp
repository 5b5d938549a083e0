// SPDX-License-Identifier: Apache-2.0
#include "ptx/text/rewrite.h"

#include <doctest/doctest.h>

namespace ptxmc::ptx {
namespace {

TEST_CASE("an indexed branch: a comparison and a branch a label, and a trap behind them") {
  Instruction like;
  like.base = "brx";
  like.position = Position{7, 3, 4};
  const std::vector<Instruction> code =
      indexed_branch(like, reg("r1"), {"A", "B"}, "p", trap(like, "no-label"));
  REQUIRE(code.size() == 5);
  CHECK(code[0].base == "setp");
  CHECK(code[0].operands[2].number == 0);
  CHECK(code[1].base == "bra");
  CHECK(code[1].guard->name == "p");
  CHECK(code[1].operands[0].name.name == "A");
  CHECK(code[2].operands[2].number == 1);
  CHECK(code[3].operands[0].name.name == "B");
  CHECK(code[4].base == "trap");
  CHECK(code[4].words == std::vector<std::string_view>{"no-label"});
  CHECK_FALSE(code[4].guard.has_value());
  for (const Instruction& instruction : code) CHECK(instruction.position.line == 7);
}

TEST_CASE("values as numbers of 64 bits") {
  CHECK(extended(0xff, 1, false) == 255);
  CHECK(extended(0xff, 1, true) == -1);
  CHECK(extended(0x80000000u, 4, true) == INT32_MIN);
  CHECK(extended(~std::uint64_t{0}, 8, false) == -1);
}

}  // namespace
}  // namespace ptxmc::ptx

// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <memory>

#include "face/cli/gpu_parameters.h"
#include "input/litmus/parse.h"

namespace ptxmc::cli {
namespace {

gpu::Hazards hazards(const std::string& verdicts) {
  const std::string text = "PTX t\n" + verdicts + "{ x=0; }\nP0 ;\nst x, 1 ;\nexists (x == 1)\n";
  return hazards_of(litmus::parse(std::make_shared<const Source>(Source{"t.litmus", text})));
}

TEST_CASE("what a file states of its test under every model keeps it from running") {
  CHECK_FALSE(hazards("Verdict=Allowed Racy\n").undefined.has_value());
  REQUIRE(hazards("Verdict=Undefined\n").undefined.has_value());
  CHECK(hazards("Verdict=Undefined\n").undefined->line == 2);
  CHECK(hazards("Verdict=Allowed Hangs\n").hangs.has_value());
  CHECK_FALSE(hazards("Verdict[ptx-6.0]=Undefined\n").undefined.has_value());
  CHECK_FALSE(hazards("Verdict[fence-sc=only-sc]=Allowed Hangs\n").hangs.has_value());
}

}  // namespace
}  // namespace ptxmc::cli

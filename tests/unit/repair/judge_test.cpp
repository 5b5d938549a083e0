// SPDX-License-Identifier: Apache-2.0
#include "repair/judge.h"

#include <doctest/doctest.h>

#include <string>

using namespace ptxmc;
using namespace ptxmc::repair;

namespace {

/// A thread that stores so many times.
std::string storing(int times) {
  std::string text = "PTX t\n{\n  .global .u32 x = 0;\n}\nP0 @ cta 0 {\n";
  for (int i = 0; i < times; ++i) text += "  st.relaxed.gpu.global.u32 [x], 1;\n";
  return text + "}\nexists (x == 2)\n";
}

}  // namespace

TEST_CASE("a text beyond the limits is open, and one that is no test is not safe") {
  const session::Session session{session::Settings{}};
  Wanted wanted;
  wanted.outcome = true;
  Judge judge(session, wanted, Budget());
  CHECK(judge.safe(storing(3)) == true);
  CHECK(judge.live(storing(3), true) == true);
  CHECK(judge.safe(storing(5000)) == std::nullopt);
  CHECK(judge.live(storing(5000), true) == std::nullopt);
  CHECK(judge.safe("PTX t\n") == false);
  CHECK(judge.live("PTX t\n", true) == false);
}

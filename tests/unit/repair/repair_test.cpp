// SPDX-License-Identifier: Apache-2.0
#include "repair/repair.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <string>

#include "input/litmus/parse.h"

using namespace ptxmc;
using namespace ptxmc::repair;

namespace {

constexpr const char* kUnread = R"(PTX unread
{
  .shared .b64 bar = 1;
  .shared .b32 x = 0;
  .shared .b32 z = 0;
}
P0 @ cluster 0, cta 0 {
  st.shared.b32 [x], 1;
  mbarrier.arrive.shared.b64 _, [bar];
}
P1 @ cluster 0, cta 0 {
  ld.shared.b32 %r0, [x];
}
P2 @ cluster 0, cta 1 {
  ld.shared.b32 %r0, [z];
}
exists (P1:%r0 == 0)
)";

}  // namespace

TEST_CASE("a wait of no wider scope than it must have is a repair, and a wider one is none") {
  const session::Session session{session::Settings{}};
  const litmus::Test test = litmus::parse(std::make_shared<const Source>(Source{"unread", kUnread}));
  Asked asked;
  asked.repairs = 0;
  const Repairs found = find_repairs(session, test, asked);
  REQUIRE(!found.repairs.empty());
  CHECK(found.repairs.front().what.front() == "P1 at its beginning: wait for phase 0 of bar");
  CHECK(std::none_of(found.repairs.begin(), found.repairs.end(), [](const Repair& repair) {
    return repair.what.front().find(".cluster scope") != std::string::npos;
  }));
}

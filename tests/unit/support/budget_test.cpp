// SPDX-License-Identifier: Apache-2.0
#include "support/budget.h"

#include <doctest/doctest.h>

using ptxmc::Budget;
using ptxmc::OutOfTime;

TEST_CASE("no limit") {
  const Budget none;
  CHECK(!none.limited());
  CHECK(!none.left());
  CHECK(!none.over());
  CHECK(!none.share(0.5).limited());
  CHECK(!Budget(1e300).over());  // more than a clock counts
}

TEST_CASE("a budget that is spent") {
  const Budget spent(-1.0);
  CHECK(spent.over());
  CHECK(*spent.left() < 0);
  CHECK_THROWS_AS(spent.check(), OutOfTime);
  CHECK(spent.share(0.5).over());
}

TEST_CASE("a part of a budget ends no later than the whole") {
  const Budget whole(1000.0);
  CHECK(!whole.over());
  CHECK(*whole.share(0.5).left() <= 500);
  CHECK(*whole.at_most(10).left() <= 10);
  CHECK(*whole.at_most(5000).left() <= 1000);
  CHECK(Budget().at_most(10).limited());
}

// SPDX-License-Identifier: Apache-2.0
#include "support/budget.h"

#include <doctest/doctest.h>

#include <stop_token>

using ptxmc::Budget;
using ptxmc::OutOfTime;

TEST_CASE("no limit") {
  const Budget none;
  CHECK(!none.left());
  CHECK(!none.over());
  CHECK(!none.share(0.5).left());
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
  CHECK(Budget().at_most(10).left());
}

TEST_CASE("what is called off is over, and so is every part of it") {
  std::stop_source source;
  const Budget unlimited(std::nullopt, source.get_token()), limited(1000.0, source.get_token());
  const Budget share = limited.share(0.5), most = unlimited.at_most(10);
  CHECK(!unlimited.over());
  CHECK(!unlimited.left());
  source.request_stop();
  for (const Budget& budget : {unlimited, limited, share, most, limited.at_most(5000)}) {
    CHECK(budget.over());
    CHECK(*budget.left() < 0);
    CHECK_THROWS_AS(budget.check(), OutOfTime);
  }
}

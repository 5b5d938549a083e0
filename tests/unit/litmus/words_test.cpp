// SPDX-License-Identifier: Apache-2.0
#include "input/litmus/words.h"

#include <doctest/doctest.h>

using namespace ptxmc::litmus;

TEST_CASE("names of threads and registers") {
  CHECK_EQ(thread_number("P0"), 0);
  CHECK_EQ(thread_number("P17"), 17);
  CHECK_FALSE(thread_number("P").has_value());
  CHECK_FALSE(thread_number("P99999").has_value());
  CHECK_FALSE(thread_number("Q0").has_value());
  CHECK(is_bare_register("r0"));
  CHECK_FALSE(is_bare_register("rd1"));
  CHECK_FALSE(is_bare_register("r"));
}

// SPDX-License-Identifier: Apache-2.0
#include "isa/opcode.h"

#include <doctest/doctest.h>

#include "isa/table.h"

using namespace ptxmc::isa;

TEST_CASE("an opcode has a result where its forms have a destination first") {
  for (const Form& form : forms()) {
    const bool destination = !form.operands.empty() &&
                             std::string_view("dxqQMVD").find(form.operands[0]) != std::string_view::npos;
    if (form.opcode == Opcode::mbarrier_arrive || form.opcode == Opcode::mbarrier_arrive_drop)
      continue;  // _ or none
    if (form.opcode == Opcode::api_call) continue;
    CAPTURE(form.base);
    CAPTURE(form.selector);
    CHECK(traits(form.opcode).has_result == destination);
  }
}

TEST_CASE("what a waiting loop may repeat leaves memory and barriers alone") {
  CHECK(traits(Opcode::ld).repeatable);
  CHECK(traits(Opcode::mbarrier_try_wait).repeatable);
  for (const OpcodeTraits& row : opcode_traits()) {
    if (row.family == Family::barrier || row.family == Family::async_copy || row.family == Family::matrix) {
      CHECK_FALSE(row.repeatable);
    }
    if (row.family == Family::arithmetic) CHECK(row.repeatable);
  }
}

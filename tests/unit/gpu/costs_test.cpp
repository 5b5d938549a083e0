// SPDX-License-Identifier: Apache-2.0
#include "gpu/run/costs.h"

#include <doctest/doctest.h>

#include <memory>
#include <set>
#include <string>

#include "../contains.h"
#include "ptx/text/module.h"
#include "support/source.h"

using namespace ptxmc;
using namespace ptxmc::gpu;
using testing::contains;

TEST_CASE("each instruction is measured once, by a kernel that is PTX") {
  std::set<std::string> names;
  for (const CostRow& row : cost_rows()) {
    CAPTURE(row.mnemonic);
    CHECK(names.insert(row.mnemonic).second);
    for (const auto& turn : {row.code, row.without}) {
      const std::string text = write_cost_kernel(row.target, turn, row.threads);
      for (const std::string& line : turn) CHECK(contains(text, line));
      CHECK_NOTHROW(ptx::parse_module(std::make_shared<const Source>(Source{row.mnemonic, text})));
    }
  }
}

TEST_CASE("wgmma is for a warpgroup, and the rest for a warp") {
  for (const CostRow& row : cost_rows()) {
    CAPTURE(row.mnemonic);
    const bool group = row.mnemonic.starts_with("wgmma");
    CHECK(row.threads == (group ? 128 : 32));
    CHECK(contains(write_cost_kernel(row.target, row.code, row.threads),
                   group ? ".reqntid 128, 1, 1" : ".reqntid 32, 1, 1"));
  }
}

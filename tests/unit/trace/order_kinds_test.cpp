// SPDX-License-Identifier: Apache-2.0
#include "dynamic/order/order_kinds.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>

namespace ptxmc::testing {
namespace {

namespace fs = std::filesystem;

/// The names that a text of a model binds.
std::set<std::string> bound_names(const fs::path& path) {
  std::ifstream in(path);
  REQUIRE(in);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  const std::regex binding(R"((?:^|\n)let (?:rec )?([\w-]+) =)");
  std::set<std::string> out;
  for (std::sregex_iterator at(text.begin(), text.end(), binding), end; at != end; ++at) out.insert((*at)[1]);
  return out;
}

}  // namespace

TEST_CASE("each kind of order that a run follows names a relation of the model") {
  const std::set<std::string> names = bound_names(fs::path(PTXMC_SOURCES) / "src/model/ptx.cat");
  REQUIRE(names.size() > 40);
  for (const trace::OrderKindRow& row : trace::kOrderKindRows) {
    CAPTURE(row.relation);
    CHECK(names.contains(std::string(row.relation)));
  }
}

}  // namespace ptxmc::testing

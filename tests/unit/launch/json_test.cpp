// SPDX-License-Identifier: Apache-2.0
#include "input/launch/json.h"

#include <doctest/doctest.h>

#include "../contains.h"
#include "launched.h"

namespace ptxmc::launch {
namespace {

using ptxmc::testing::contains;

Json json(const std::string& text) {
  return parse_json(std::make_shared<const Source>(Source{"t.json", text}));
}

TEST_CASE("values know their places") {
  const Json root = json("{ \"a\": [1,\n  -2 ],\n  \"b\\\"c\" : { \"d\":true } }");
  const auto& object = *root.as<JsonObject>();
  REQUIRE(object.size() == 2);
  CHECK(object[0].key.position == Position{1, 3, 3});
  const auto& list = *object[0].value.as<JsonArray>();
  CHECK(object[0].value.position == Position{1, 8, 1});
  CHECK(list[0].position == Position{1, 9, 1});
  CHECK(list[1].position == Position{2, 3, 2});
  CHECK(*list[1].as<std::int64_t>() == -2);
  CHECK(object[1].key.name == "b\"c");
  CHECK(object[1].key.position == Position{3, 3, 6});
  CHECK(object[1].value.as<JsonObject>()->front().value.position == Position{3, 18, 4});
}

TEST_CASE("numbers keep their 64 bits") {
  const Json root = json("[9223372036854775807, 18446744073709551615, 1.5, 1e3]");
  const auto& list = *root.as<JsonArray>();
  CHECK(*list[0].as<std::int64_t>() == INT64_MAX);
  CHECK(*list[1].as<std::uint64_t>() == UINT64_MAX);
  CHECK(*list[2].as<double>() == 1.5);
  CHECK(*list[3].as<double>() == 1000);
}

TEST_CASE("what is no JSON is an error with its place") {
  CHECK(contains(error_of([] { json("{ \"a\": 1,\n \"b\" 2 }"); }), "t.json:2:6: error: this is no JSON"));
  CHECK(contains(error_of([] { json(""); }), "an empty file"));
  CHECK(contains(error_of([] { json("[1] 2"); }), "this is no JSON"));
  CHECK(contains(error_of([] { json("{\"a\": 1, \"a\": 2}"); }), "t.json:1:10: error: `a` stands twice"));
  CHECK(contains(error_of([] { json(std::string(100, '[')); }), "nested more than 32 deep"));
}

}  // namespace
}  // namespace ptxmc::launch

// SPDX-License-Identifier: Apache-2.0
// What buffers hold before a launch: data, ranges of other data, addresses.
#include <doctest/doctest.h>

#include "../contains.h"
#include "launched.h"

namespace ptxmc::launch {
namespace {

using testing::contains;

program::Variable buffer(const std::string& said) {
  const program::Program p = make_program(
      module_of(".entry k(.param .u64 p) { ret; }\n"),
      plan_of(R"({"module": "m", "arguments": [{"buffer": "A"}], "memory": {"A": {"bytes": 32, )" + said +
              "}}}"));
  for (const program::Variable& variable : p.variables) {
    if (variable.name == "A") return variable;
  }
  return {};
}
std::vector<std::int64_t> numbers(const program::Variable& variable) {
  std::vector<std::int64_t> out;
  for (const program::InitialValue& value : variable.initial) out.push_back(value.integer);
  return out;
}
using Numbers = std::vector<std::int64_t>;
using Open = std::vector<program::Extent>;

TEST_CASE("ranges of opaque data are what they are said to be, and the rest is open") {
  const program::Variable zero = buffer(R"("data": "opaque", "ranges": {"8": {"bytes": 8, "data": "zero"}})");
  CHECK(!zero.opaque);
  CHECK(zero.open == Open{{0, 8}, {16, 16}});
  const program::Variable some = buffer(
      R"("data": "opaque", "ranges": {"0": {"bytes": 4, "data": [5]}, "12": {"bytes": 4, "data": [6]}})");
  CHECK(some.open == Open{{4, 8}, {16, 16}});
  CHECK(numbers(some) == Numbers{5, 0, 0, 6});
}

TEST_CASE("ranges that nothing is said of in data") {
  const program::Variable in_zero = buffer(
      R"("data": "zero", "ranges": {"4": {"bytes": 4, "data": "opaque"}, "8": {"bytes": 4, "data": "opaque"}})");
  CHECK(in_zero.open == Open{{4, 8}});
  const program::Variable in_numbers = buffer(
      R"("data": [1, 2, 3, 4], "ranges": {"4": {"bytes": 4, "data": "opaque"}, "12": {"bytes": 4, "data": "zero"}})");
  CHECK(in_numbers.open == Open{{4, 4}});
  CHECK(numbers(in_numbers) == Numbers{1, 0, 3, 0});
}

TEST_CASE("a range says what type its numbers are of") {
  const program::Variable some = buffer(
      R"("data": "opaque", "ranges": {"0": {"bytes": 8, "type": "u16", "data": [1, 2, 3, 4]}, "8": {"bytes": 4, "data": [6]}})");
  CHECK(numbers(some) == Numbers{0x20001, 0x40003, 6});
  CHECK(some.open == Open{{12, 20}});
}

TEST_CASE("numbers of a variable are of the type that the launch says, though the module declares bytes") {
  const auto variable = [](const std::string& type) {
    const program::Program p =
        make_program(module_of(".const .align 4 .b8 c[16];\n"
                               ".entry k() { .reg .b32 %r; ld.const.u32 %r, [c+4]; ret; }\n"),
                     plan_of(R"({"module": "m", "arguments": [], "variables": {"c": {"bytes": 16, )" + type +
                             R"("data": [1, 258]}}})"));
    for (const program::Variable& one : p.variables) {
      if (one.name == "c") return one;
    }
    return program::Variable{};
  };
  CHECK(numbers(variable(R"("type": "u32", )")) == Numbers{1, 258});
  CHECK(variable(R"("type": "u32", )").elements == 4);
  CHECK(contains(error_of([&] { variable(""); }), "does not fit 1 byte"));
}

TEST_CASE("a range that is all of it, or says the same again, is as without") {
  CHECK(buffer(R"("data": "opaque")").opaque);
  CHECK(buffer(R"("data": "opaque", "ranges": {"8": {"bytes": 8, "data": "opaque"}})").open.size() <= 3);
  CHECK(buffer(R"("data": "zero", "ranges": {"0": {"bytes": 32, "data": "opaque"}})").opaque);
  CHECK(buffer(R"("data": "opaque", "ranges": {"0": {"bytes": 32, "data": "zero"}})").open.empty());
}

TEST_CASE("parts of elements are ranges, too, where no type is said") {
  const program::Variable part =
      buffer(R"("data": [4294967295, 1], "ranges": {"1": {"bytes": 2, "data": "zero"}})");
  CHECK(numbers(part) == Numbers{0xff0000ff, 1});
  CHECK(part.open.empty());
  CHECK(contains(error_of([] {
                   buffer(
                       R"("type": "u32", "data": "zero", "ranges": {"2": {"bytes": 2, "data": "opaque"}})");
                 }),
                 "no whole elements of .u32"));
}

TEST_CASE("addresses stand amid opaque data") {
  const program::Variable table =
      buffer(R"("data": "opaque", "fields": {"8": {"buffer": "A", "offset": 16}})");
  CHECK(table.open == Open{{0, 8}, {16, 16}});
  REQUIRE(table.initial.size() == 2);
  CHECK(table.initial[1].address_of == "A");
  CHECK(table.initial[1].integer == 16);
}

}  // namespace
}  // namespace ptxmc::launch

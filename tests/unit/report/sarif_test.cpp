// SPDX-License-Identifier: Apache-2.0
// Columns of SARIF are characters (3.14.17), where all else here counts bytes.
#include "report/sarif/sarif.h"

#include <doctest/doctest.h>

#include <memory>

#include "../contains.h"
#include "report/sarif/characters.h"

using namespace ptxmc;
using ptxmc::testing::contains;

TEST_CASE("a column of bytes is one of characters") {
  CHECK(report::character_column("ld.relaxed", 4) == 4);
  CHECK(report::character_column("/* \u00e9 */ ld", 10) == 9);         // two bytes
  CHECK(report::character_column("/* \u4e16\u754c */ ld", 14) == 10);  // three each
  CHECK(report::character_column("\U0001f600x", 5) == 2);              // four: one code point
  CHECK(report::character_column("\u00e9", 1) == 1);
  CHECK(report::character_column("\u00e9", 5) == 4);  // behind the end of the line
  CHECK(report::character_column("", 3) == 3);
}

TEST_CASE("a result is where an editor has it") {
  const auto read = [](const std::string& name) {
    return name == "a.litmus"
               ? std::make_shared<const Source>(Source{name, "PTX a\n /* \u00e9\u00e9 */ ld.relaxd\n"})
               : nullptr;
  };
  const std::string error =
      R"({"file":"FILE","errors":[{"severity":"error","message":"no","line":2,"column":13,"length":9}]})";
  const auto printed = [&](const std::string& file) {
    report::Sarif sarif("1", {}, read);
    std::string line = error;
    line.replace(line.find("FILE"), 4, file);
    sarif.add(line + "\n");
    return sarif.print();
  };
  CHECK(contains(printed("a.litmus"), "\"startColumn\": 11"));
  CHECK(contains(printed("a.litmus"), "\"endColumn\": 20"));
  CHECK(contains(printed("gone.litmus"), "\"startColumn\": 13"));  // nobody knows its text
}

// SPDX-License-Identifier: Apache-2.0
#include "finding/acceptance.h"

#include <doctest/doctest.h>

#include <memory>

namespace ptxmc::finding {
namespace {

Waivers read(const std::string& text) {
  return waivers_in(std::make_shared<const Source>(Source{"k.cu", text}));
}

/// The only warning.
std::string warning(const std::string& text) {
  const Waivers found = read(text);
  CHECK(found.all.empty());
  REQUIRE(found.warnings.size() == 1);
  CHECK(found.warnings.front().severity == Severity::warning);
  return found.warnings.front().message;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a waiver is for its line and the next one, and for the rules that it names") {
  const Waivers found = read("int i;\ns[i] += 1;  // ptxmc: ignore race, hang : only one warp runs\n\n");
  REQUIRE(found.all.size() == 1);
  CHECK(found.warnings.empty());
  const Waiver& one = found.all.front();
  CHECK(one.line == 2);
  CHECK(one.rules == std::vector<std::string>{"race", "hang"});
  CHECK(one.reason == "only one warp runs");
  CHECK((one.covers(2, "race") && one.covers(3, "hang")));
  CHECK_FALSE((one.covers(1, "race") || one.covers(4, "race") || one.covers(2, "stale-read")));
}

TEST_CASE("former names of rules are read, and other comments are none") {
  CHECK(read("// ptxmc:ignore data-race: x\n").all.front().rules.front() == "race");
  const Waivers none =
      read("// see ptxmc: ignore race: x\nchar* s = \"ptxmc: ignore\"; /* ptxmc: ignore race: x */\n");
  CHECK((none.all.empty() && none.warnings.empty()));
  CHECK(read("// a URL http://x // ptxmc: ignore race: x\r\n").all.size() == 1);
}

TEST_CASE("a waiver needs a known rule and a reason") {
  CHECK(has(warning("// ptxmc: ignore rase: x"), "there is no rule `rase`; did you mean `race`?"));
  CHECK(has(warning("// ptxmc: ignore race"), "no reason is given; write `// ptxmc: ignore RULE: REASON`"));
  CHECK(has(warning("// ptxmc: ignore race:  "), "no reason is given"));
  CHECK(has(warning("// ptxmc: ignore: x"), "no rule is named"));
  CHECK(has(warning("// ptxmc: ignore verdict: x"), "is no finding"));
  CHECK(has(warning("// ptxmc: allow race: x"), "is no request to ptxmc"));
  CHECK(read("a\n  // ptxmc: ignore").warnings.front().position == Position{2, 13, 6});
}

}  // namespace ptxmc::finding

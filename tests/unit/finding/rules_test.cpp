// SPDX-License-Identifier: Apache-2.0
#include "finding/rules.h"

#include <doctest/doctest.h>

#include <cctype>
#include <map>
#include <sstream>
#include <string>

#include "finding/manual.h"
#include "support/check.h"

namespace ptxmc::finding {
namespace {

std::size_t words(std::string_view text) {
  std::istringstream in{std::string(text)};
  std::size_t count = 0;
  for (std::string word; in >> word;) ++count;
  return count;
}

TEST_CASE("the address of a rule's section is that of no other section") {
  std::map<std::string, std::string_view> sections;
  for (const Rule& one : rules()) {
    if (one.section.empty()) continue;
    CAPTURE(one.name);
    const std::string url = manual_url(one.section);
    CHECK(url.find('#') != std::string::npos);
    CHECK(sections.emplace(url, one.section).first->second == one.section);
  }
  CHECK(manual_url("8.7.1").ends_with("/#conflict-and-data-races"));
  CHECK(manual_url("99").ends_with("/parallel-thread-execution/"));
}

TEST_CASE("a citation names the edition whose numbers it has") {
  CHECK(citation("8.7.1") == "PTX ISA 9.4, 8.7.1");
  CHECK(citation("8.6.1, 8.8, D55") == "PTX ISA 9.4, 8.6.1, 8.8, D55");
  CHECK(citation("9.7") == "PTX ISA 9.4, 9.7");
  CHECK(citation("9.7.12.1") == "PTX ISA 8.4, 9.7.12.1");
  CHECK(citation("9.7.16.6.2") == "PTX ISA 8.7, 9.7.16.6.2");
  CHECK(citation("9.7.16.6.2, 8.9.4, 9.7.12.4") == "PTX ISA 8.4, 9.7.16.6.2, 8.9.4, 9.7.12.4");
}

TEST_CASE("each rule has a sentence, a fix and, where the manual speaks of it, a section") {
  for (const Rule& one : rules()) {
    CAPTURE(one.name);
    CHECK(find_rule(one.name) == &one);
    CHECK(&rule(one.id) == &one);
    for (const std::string_view text : {one.summary, one.fix}) {
      REQUIRE(!text.empty());
      CHECK(text.back() != '.');
      CHECK(std::isupper(static_cast<unsigned char>(text.front())) == 0);
      CHECK(text.find('{') == std::string_view::npos);
    }
    CHECK(words(one.summary) <= 25);
    CHECK(one.section.empty() == (one.kind == Kind::answer));
    if (one.refines) CHECK(rule(*one.refines).kind == one.kind);
  }
}

TEST_CASE("a rule is found by the name that it had before") {
  for (const FormerName& one : former_names()) {
    CAPTURE(one.former);
    CHECK(current_name(one.former) == name_of(one.id));
    CHECK(find_rule(one.former) == &rule(one.id));
    CHECK(current_name(name_of(one.id)) == name_of(one.id));
  }
  CHECK(current_name("data-race") == "race");
  CHECK(current_name("mine") == "mine");
}

TEST_CASE("a name that no rule has, or had") {
  CHECK(find_rule("tensor-interesting") == nullptr);
  CHECK_THROWS_AS(rule_named("tensor-interesting"), InternalError);
  CHECK_NOTHROW(check_rule_name("--only", "data-race"));
  CHECK_THROWS_WITH_AS(check_rule_name("--only", "proxy-rase"),
                       "ptxmc: error: --only: there is no rule `proxy-rase`; did you mean `proxy-race`?\n",
                       InputError);
}

TEST_CASE("severities, and what is a race") {
  CHECK(severity_of(RuleId::cross_proxy_war) == Severity::warning);
  CHECK(severity_of(RuleId::equal_bytes) == Severity::note);
  CHECK(is_race(RuleId::warp_exchange));
  CHECK_FALSE(is_race(RuleId::mbarrier_uninitialised));
  CHECK(name_of(RuleId::own_flag).empty());  // it has the name that the user gave it
}

}  // namespace
}  // namespace ptxmc::finding

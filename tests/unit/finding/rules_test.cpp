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

TEST_CASE("a citation has the numbers of PTX ISA 9.4") {
  CHECK(citation("8.7.1") == "PTX ISA 9.4, 8.7.1");
  CHECK(citation("8.6.1, 8.8, D55") == "PTX ISA 9.4, 8.6.1, 8.8, D55");
  CHECK(citation("9.7") == "PTX ISA 9.4, 9.7");
  const std::pair<const char*, const char*> moved[] = {
      {"9.7.1.4", "PTX ISA 9.4, 9.7.1.4"},
      {"9.7.1.5", "PTX ISA 9.4, 9.7.1.6"},
      {"9.7.3.5", "PTX ISA 9.4, 9.7.3.5"},
      {"9.7.7.6", "PTX ISA 9.4, 9.7.9.6"},
      {"9.7.8.12", "PTX ISA 9.4, 9.7.10.12"},
      {"9.7.8.13", "PTX ISA 9.4, 9.7.10.15"},
      {"9.7.8.20", "PTX ISA 9.4, 9.7.10.24"},
      {"9.7.8.24", "PTX ISA 9.4, 9.7.10.28"},
      {"9.7.8.24.1", "PTX ISA 9.4, 9.7.10.28.1"},
      {"9.7.8.24.3", "PTX ISA 9.4, 9.7.10.28.3.1"},
      {"9.7.8.24.6", "PTX ISA 9.4, 9.7.10.28.4.1"},
      {"9.7.8.24.9", "PTX ISA 9.4, 9.7.10.28.5.3"},
      {"9.7.8.24.13", "PTX ISA 9.4, 9.7.10.28.6.2"},
      {"9.7.8.25", "PTX ISA 9.4, 9.7.10.29"},
      {"9.7.11.3", "PTX ISA 9.4, 9.7.14.3"},
      {"9.7.12.1", "PTX ISA 9.4, 9.7.15.1"},
      {"9.7.12.13", "PTX ISA 9.4, 9.7.15.14"},
      {"9.7.12.15", "PTX ISA 9.4, 9.7.15.16"},
      {"9.7.12.15.4", "PTX ISA 9.4, 9.7.15.16.5"},
      {"9.7.12.15.6", "PTX ISA 9.4, 9.7.15.16.8"},
      {"9.7.12.15.16", "PTX ISA 9.4, 9.7.15.16.19"},
      {"9.7.12.15.18", "PTX ISA 9.4, 9.7.15.17"},
      {"9.7.13.4.15", "PTX ISA 9.4, 9.7.16.5.15"},
      {"9.7.14.7.1", "PTX ISA 9.4, 9.7.17.7.1"},
      {"9.7.16.6.2.1", "PTX ISA 9.4, 9.7.18.6.2.1"},
      {"9.7.16.10.9.1", "PTX ISA 9.4, 9.7.18.10.10.1"},
      {"9.7.17.4", "PTX ISA 9.4, 9.7.21.4"},
      {"9.7.16.6.2, 8.9.4, 9.7.12.4", "PTX ISA 9.4, 9.7.18.6.2, 8.9.4, 9.7.15.4"},
  };
  for (const auto& [section, now] : moved) {
    CAPTURE(section);
    CHECK_EQ(citation(section), now);
  }
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

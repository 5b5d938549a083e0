// SPDX-License-Identifier: Apache-2.0
#include "observed/certificate.h"

#include <doctest/doctest.h>

#include "observed/certificate_file.h"
#include "observed/missed.h"
#include "support/diagnostic.h"

using namespace ptxmc;
using namespace ptxmc::observed;

namespace {

CertifiedTest tested(const std::string& name, std::vector<Row> rows, Subjects subjects = {}) {
  CertifiedTest out;
  out.hash = "h" + name;
  out.course = Course::ran;
  out.subjects = std::move(subjects);
  out.comparison.test = name;
  for (const Row& row : rows) out.comparison.observed += row.count;
  out.comparison.rows = std::move(rows);
  return out;
}

const Row kSeen{"a=0;", 5, Standing::seen}, kUnseen{"a=1;", 0, Standing::unseen},
    kForbidden{"a=2;", 1, Standing::forbidden};

SourcePtr text(const std::string& content) {
  return std::make_shared<const Source>(Source{"c.json", content});
}

}  // namespace

TEST_CASE("sums count a test under each of its names, and states of those that ran alone") {
  Certificate certificate;
  certificate.tests = {tested("A", {kSeen, kUnseen}, {{Axis::section, {"8.7", "8.9.5"}}}),
                       tested("B", {kSeen, kForbidden}, {{Axis::section, {"8.9.5"}}})};
  certificate.tests.push_back(tested("C", {}, {{Axis::section, {"8.7"}}}));
  certificate.tests.back().course = Course::skipped;
  const auto sums = sums_by(certificate, Axis::section);
  REQUIRE(sums.size() == 2);
  CHECK(sums.at("8.7").tests == 2);
  CHECK(sums.at("8.7").ran == 1);
  CHECK(sums.at("8.7").unseen == 1);
  CHECK(sums.at("8.9.5").seen == 2);
  CHECK(sums.at("8.9.5").forbidden == 1);
  CHECK(sums.at("8.9.5").violations == 1);
  CHECK(sum_of(certificate).observed == 11);
  CHECK(count_of(certificate, Course::skipped) == 1);
  CHECK(sums_by(certificate, Axis::axiom).empty());
}

TEST_CASE("two certificates differ in states that one alone saw; a forbidden one is told in any case") {
  Certificate one, other;
  one.tests = {tested("A", {kSeen, kUnseen}), tested("B", {kForbidden}), tested("D", {kSeen}),
               tested("E", {kSeen})};
  other.tests = {tested("A", {kSeen, {"a=1;", 7, Standing::seen}}), tested("B", {kForbidden}),
                 tested("F", {kSeen}), tested("E", {kSeen})};
  other.tests.back().hash = "changed";
  const CertificateComparison found = compare_certificates(one, other);
  CHECK(found.both == 2);
  CHECK(found.here == std::vector<std::string>{"D"});
  CHECK(found.there == std::vector<std::string>{"F"});
  CHECK(found.changed == std::vector<std::string>{"E"});
  REQUIRE(found.differences.size() == 2);
  CHECK(found.differences[0].state == "a=1;");
  CHECK(found.differences[0].other == 7);
  CHECK_FALSE(found.differences[0].forbidden);
  CHECK(found.differences[1].forbidden);
  CHECK(found.differences[1].count == 1);
}

TEST_CASE("what is no certificate is refused") {
  for (const char* wrong :
       {"", "{}", "[1]", R"({"verb":"compare"})", R"({"verb":"conform","program":"1"})",
        R"({"verb":"conform","program":"1","model":"m","manual":"x","suite":1,"devices":[],
                                "tests":[{"test":"A","file":"A","hash":"","course":"flew","about":{}}]})"}) {
    CHECK_THROWS_AS(read_certificate(text(wrong)), InputError);
  }
  const Certificate right = read_certificate(text(
      R"({"verb":"conform","program":"1","model":"m","manual":"x","suite":1,"devices":["G"],
          "tests":[{"test":"A","file":"f/A","hash":"1","course":"ran","about":{"family":["f"]},
                    "states":[{"state":"a=0;","count":3,"standing":"forbidden"}],"observed":3}]})"));
  REQUIRE(right.tests.size() == 1);
  CHECK(right.tests[0].comparison.family == "f");
  CHECK(sum_of(right).violations == 1);
}

TEST_CASE("lines of a campaign about tests that it missed") {
  const auto missed =
      read_missed(text("{\"campaign\":{}}\nText \"missed\"\n"
                       R"({"test":"A","hash":"1","missed":"skipped","why":"no"})"
                       "\n{\"missed\":\"refu"));
  REQUIRE(missed.size() == 1);
  CHECK(missed[0].name == "A");
  CHECK(missed[0].fate == "skipped");
}

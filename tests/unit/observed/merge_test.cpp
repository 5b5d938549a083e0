// SPDX-License-Identifier: Apache-2.0
#include "observed/merge.h"

#include <doctest/doctest.h>

#include "report/json/merged.h"
#include "report/text/merged.h"
#include "support/diagnostic.h"

using namespace ptxmc;
using namespace ptxmc::observed;
using namespace ptxmc::report;

namespace {

std::vector<LoggedTest> read(const std::string& text) {
  return read_log(std::make_shared<const Source>(Source{"log", text}));
}

const std::string kText =
    "Test MP Forbidden\nHistogram (2 states)\n30      :>1:r0=0; 1:r1=0;\n12      *>1:r0=1; 1:r1=0;\nNo\n\n"
    "Witnesses\nPositive: 30, Negative: 12\nCondition ~exists (1:r0=1 /\\ 1:r1=0) is NOT "
    "validated\nHash=abc\n"
    "Observation MP Sometimes 12 30\nTime MP 0.50\nHung MP 7\n"
    "Hung MP a launch of 99 instances did not end within 5 s\nUnrecorded MP 3\n"
    "Device MP Some GPU (sm_90), driver 13.0\n\n";

const std::string kLine =
    R"j({"test":"MP","file":"a/MP.litmus","hash":"abc","condition":"~exists (1:r0=1 /\\ 1:r1=0)",)j"
    R"j("states":[{"state":"1:r1=0; 1:r0=1;","count":8,"satisfied":true},)j"
    R"j({"state":"1:r0=1; 1:r1=1;","count":1,"satisfied":false}],)j"
    R"j("instances":20,"hung":1,"stuck":5,"unrecorded":2,"seconds":1.5,)j"
    R"j("device":{"name":"Other GPU","capability":"9.0","driver":12040,"multiprocessors":4}})j"
    "\n";

std::string header() {
  return R"({"campaign":{"version":1}})"
         "\n";
}

std::string missed(const std::string& name) {
  return R"({"test":")" + name + R"(","hash":"x","missed":"skipped","why":"tensor memory"})" + "\n";
}

}  // namespace

TEST_CASE("everything that is counted adds up") {
  MergedLog log;
  log.add(read(kText), "one");
  log.add(read(kLine), "two");
  REQUIRE(log.tests().size() == 1);
  const LoggedTest& mp = log.tests().front();
  CHECK(mp.states.at("1:r0=1; 1:r1=0;") == 20);
  CHECK(mp.states.at("1:r0=0; 1:r1=0;") == 30);
  CHECK(mp.states.at("1:r0=1; 1:r1=1;") == 1);
  CHECK(mp.satisfied == std::set<std::string>{"1:r0=1; 1:r1=0;"});
  CHECK(mp.observed == 51);
  CHECK(mp.instances == 42 + 7 + 3 + 20);
  CHECK(mp.hung == 8);
  CHECK(mp.stuck == 104);
  CHECK(mp.unrecorded == 5);
  CHECK(mp.runs == 2);
  CHECK(mp.seconds == doctest::Approx(2));
  CHECK(mp.devices ==
        std::set<std::string>{"Other GPU (sm_90), driver 12.4", "Some GPU (sm_90), driver 13.0"});
}

TEST_CASE("a merged log reads as what was merged, in both formats") {
  MergedLog log;
  log.add(read(kText), "one");
  log.add(read(kLine), "two");
  const LoggedTest& mp = log.tests().front();
  const auto same = [&](const LoggedTest& again) {
    CHECK(again.states == mp.states);
    CHECK(again.satisfied == mp.satisfied);
    CHECK(again.hash == mp.hash);
    CHECK(again.condition == mp.condition);
    CHECK(again.hung == mp.hung);
    CHECK(again.stuck == mp.stuck);
    CHECK(again.unrecorded == mp.unrecorded);
    CHECK(again.seconds == doctest::Approx(mp.seconds));
    CHECK(again.devices == mp.devices);
  };
  same(read(merged_text(mp)).at(0));
  same(read(merged_json(mp)).at(0));
  CHECK(read(merged_json(mp)).at(0).runs == 2);
  CHECK(read(merged_json(mp)).at(0).instances == mp.instances);
}

TEST_CASE("one log in text stays as it was, but for what belongs to one run") {
  const LoggedTest test = read(kText).at(0);
  const std::string text = merged_text(test);
  CHECK(text.substr(0, text.find("Rate")) == kText.substr(0, kText.find(" within 5 s")) +
                                                 "\nUnrecorded MP 3\nRun MP " + *test.ids.begin() +
                                                 "\nDevice MP Some GPU (sm_90), driver 13.0\n");
}

TEST_CASE("one name, two tests") {
  const std::string other = "Test MP Allowed\nStates 1\n1:r0=0;\nOk\nHash=def\n";
  MergedLog log;
  log.add(read(kText), "one.log");
  try {
    log.add(read(other), "two.log");
    FAIL("two texts were added up");
  } catch (const InputError& error) {
    CHECK(
        std::string(error.what()).find("two different tests named MP: one in 'one.log', one in 'two.log'") !=
        std::string::npos);
  }
  CHECK(log.find("MP", "def") == nullptr);
  CHECK(log.find("MP", "abc") != nullptr);
  CHECK_FALSE(log.knows("SB"));
}

TEST_CASE("one name, two tests of one folder") {
  std::string second = kLine;
  second.replace(second.find("a/MP"), 4, "b/MP");
  CHECK_NOTHROW(read(kLine + second));
  second.replace(second.find("abc"), 3, "def");
  const auto both = read(kLine + second);
  REQUIRE(both.size() == 2);
  std::string changed = kLine;
  changed.replace(changed.find("abc"), 3, "def");
  CHECK_THROWS_AS(read(kLine + changed), InputError);  // one file, whose test has changed
  MergedLog log;
  log.add(both, "one");
  second.replace(second.find("1.5"), 3, "2.5");  // another run of the second
  log.add(read(second), "two");
  REQUIRE(log.tests().size() == 2);
  CHECK(log.find("MP", "abc")->observed == 9);
  CHECK(log.find("MP", "def")->observed == 18);
}

TEST_CASE("a run counts once") {
  const auto with_run = [](const std::string& id) {
    std::string line = kLine;
    return line.replace(line.rfind('}'), 1, ",\"run\":\"" + id + "\"}");
  };
  std::vector<std::string> warnings;
  MergedLog log;
  log.add(read(kText), "one", &warnings);
  log.add(read(kText), "copy", &warnings);  // no identity: what it says is one
  REQUIRE(warnings.size() == 1);
  CHECK(warnings[0] == "copy: left out: this run of MP stands in 'one'");
  CHECK(log.tests().front().observed == 42);
  log.add(read(with_run("a")), "a", &warnings);
  log.add(read(with_run("b")), "b", &warnings);  // another run that saw the same
  CHECK(warnings.size() == 1);
  CHECK(log.tests().front().observed == 42 + 9 + 9);
  log.add(read(with_run("b")), "b again", &warnings);
  CHECK(warnings.size() == 2);
  CHECK(log.tests().front().observed == 42 + 9 + 9);
  CHECK(log.tests().front().runs == 3);
  // A merged log knows what it was made of, in both formats.
  for (const std::string& merged : {merged_json(log.tests().front()), merged_text(log.tests().front())}) {
    MergedLog again;
    again.add(read(merged), "merged", &warnings);
    again.add(read(with_run("a")), "part", &warnings);
    CHECK(again.tests().front().observed == 42 + 9 + 9);
    MergedLog reversed;
    reversed.add(read(with_run("a")), "part");
    CHECK_THROWS_AS(reversed.add(read(merged), "merged"), InputError);  // some, not all
  }
  CHECK(warnings.size() == 4);
}

TEST_CASE("a run counts once in one log, too") {
  std::vector<std::string> warnings;
  const auto source = std::make_shared<const Source>(Source{"log", kText + kText + kLine + kLine});
  const auto tests = read_log(source, &warnings);
  REQUIRE(tests.size() == 1);
  CHECK(tests[0].observed == 42 + 9);
  CHECK(warnings.size() == 2);
}

TEST_CASE("nothing observed validates nothing") {
  for (const std::string quantifier : {"Allowed", "Forbidden", "Required"}) {
    const std::string condition = quantifier == "Allowed"     ? "exists"
                                  : quantifier == "Forbidden" ? "~exists"
                                                              : "forall";
    const auto tests = read("Test MP " + quantifier + "\nHistogram (0 states)\nCondition " + condition +
                            " (1:r0=1)\nHash=abc\n");
    const std::string text = merged_text(tests.at(0));
    CHECK(text.find("\nUndef\n") != std::string::npos);
    CHECK(text.find(" is NOT validated\n") != std::string::npos);
    CHECK(text.find("Observation MP Unknown 0 0\n") != std::string::npos);
  }
}

TEST_CASE("a log without hashes") {
  MergedLog log;
  log.add(read("Test MP Allowed\nStates 1\n1:r0=0;\nOk\n"), "simulator");
  CHECK(log.find("MP", "abc")->observed == 1);
  log.add(read(kLine), "run");
  CHECK(log.find("MP", "abc")->observed == 10);
  CHECK(log.find("MP", "def") == nullptr);
}

TEST_CASE("records of a campaign that are no run") {
  CHECK(read(header()).empty());
  const auto tests = read(header() + missed("A") + kLine + missed("MP"));
  REQUIRE(tests.size() == 1);
  CHECK(tests[0].observed == 9);
}

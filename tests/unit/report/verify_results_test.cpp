// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "../contains.h"
#include "report/json/results.h"
#include "report/junit/results.h"
#include "report/text/results.h"
#include "support/diagnostic.h"

namespace ptxmc::report {

namespace {

using ptxmc::testing::contains;

std::string line(const std::string& input, int status, const std::string& answer,
                 const std::string& findings = "", double seconds = 0.5) {
  return result_line(
      input, status,
      R"({"launch": "k<1>", "file": "k.ptx", "answer": ")" + answer + R"(", "claim": )" +
          (answer == "bounded" ? R"({"open": [{"message": "there are warnings"}, {"message": "--steps"}]})"
                               : "{}") +
          R"(, "findings": [)" + findings + R"(], "ran": {"lanes": 1, "warps": 1, "seconds": )" +
          std::to_string(seconds) + "}}");
}
const std::string kRace =
    R"({"rule": "race", "severity": "error", "cause": "nothing orders \"them\"", "places": [{"line": 7}]})";

const std::string kLate =
    R"({"rule": "exit-in-flight", "severity": "warning", "cause": "", "places": [{"line": 9}]},)"
    R"({"rule": "stale-poll", "severity": "note", "cause": "", "places": [{"line": 9}]})";

std::vector<VerifyResult> all() {
  std::vector<VerifyResult> out;
  add_results(line("a.json", 0, "exact") + line("b.json", 1, "finding", kRace), "one", out);
  add_results(line("c.json", 3, "bounded", kLate) + "\n" + error_line("d.json", 2, "no <such> file\n"), "two",
              out);
  return out;
}

TEST_CASE("lines of several processes come to one summary") {
  const auto results = all();
  REQUIRE(results.size() == 4);
  CHECK(results[1].findings.front().place == "line 7");
  const std::string text = results_text(results);
  CHECK(contains(text, "finding  b.json (k<1>): error: race at line 7\n"));
  CHECK(contains(text, "error    d.json: no <such> file\n"));
  CHECK(contains(text,
                 "incomplete  c.json (k<1>): there are warnings, and 1 reason more\n"
                 "incomplete  c.json (k<1>): warning: exit-in-flight at line 9\nerror "));
  CHECK(contains(text,
                 "4 launches: 1 without race or deadlock in any schedule, 1 incomplete, 1 with "
                 "findings, 1 not verified"));
}

TEST_CASE("JUnit's XML") {
  const std::string xml = results_junit(all(), "ptxmc verify");
  CHECK(contains(xml, R"(tests="4" failures="1" errors="1" skipped="1" time="1.500")"));
  CHECK(contains(xml, R"(<testcase classname="a.json" name="k&lt;1&gt;" time="0.500"/>)"));
  CHECK(contains(xml, "race at line 7: nothing orders &quot;them&quot;&#10;"));
  CHECK(contains(xml, R"(<error message="no &lt;such&gt; file&#10;"/>)"));
  CHECK(
      contains(xml, R"(<skipped message="nothing found, but not in all schedules: there are warnings, and)"));
  CHECK(xml.find("\"them\"") == std::string::npos);
}

TEST_CASE("JUnit's XML of tests") {
  const std::string xml = results_junit(
      {test_result(R"({"file": "a.litmus", "test": "A", "seconds": 0.5, "answer": "Allowed"})", 0),
       test_result(
           R"({"file": "b.litmus", "test": "B", "stated": {"verdict": "Forbidden", "met": false, "found": "Allowed", "line": 3}})",
           1),
       test_result(R"({"file": "c.litmus", "errors": [{"severity": "error", "message": "m"}]})", 2),
       test_result(R"({"file": "d.litmus", "test": "D", "answer": "Unknown", "unknown": "timeout"})", 3)},
      "ptxmc check");
  CHECK(contains(xml, R"(name="ptxmc check" tests="4" failures="1" errors="1" skipped="1")"));
  CHECK(contains(xml, R"(<failure message="error: verdict at line 3">)"));
  CHECK(contains(xml, "stated Forbidden, found Allowed"));
  CHECK(contains(xml, R"(<skipped message="unknown: timeout"/>)"));
}

TEST_CASE("one input in two files is one result, if they agree") {
  std::vector<VerifyResult> results;
  add_results(line("a.json", 0, "exact", "", 0.5), "one", results);
  add_results(line("a.json", 0, "exact", "", 0.7), "two", results);
  CHECK(results.size() == 1);
  try {
    add_results(line("a.json", 1, "finding", kRace), "three", results);
    CHECK(false);
  } catch (const InputError& error) {
    CHECK(contains(error.what(), "'three', line 1: another result of 'a.json' says something else"));
  }
}

TEST_CASE("what is no result says where") {
  for (const char* text : {"{}", "nothing", "{\"input\": 1}", "[1]", "{\"input\": \"a\", \"status\": 9}"}) {
    std::vector<VerifyResult> results;
    try {
      add_results("\n" + std::string(text), "file", results);
      CHECK(false);
    } catch (const InputError& error) {
      CHECK(contains(error.what(), "'file', line 2: no result of `ptxmc verify --format json`"));
    }
  }
}

}  // namespace
}  // namespace ptxmc::report

// SPDX-License-Identifier: Apache-2.0
#include "observed/compare.h"

#include <doctest/doctest.h>

#include "observed/log.h"
#include "report/html/compare.h"
#include "report/text/compare.h"
#include "support/diagnostic.h"

using namespace ptxmc;
using namespace ptxmc::observed;
using namespace ptxmc::report;

namespace {

std::vector<LoggedTest> read(const std::string& text) {
  return read_log(std::make_shared<const Source>(Source{"log", text}));
}

const std::string kRun =
    "Test MP Allowed\nHistogram (2 states)\n30      :>1:r0=0; 1:r1=0;\n12      *>1:r0=1; 1:r1=0;\nOk\n\n"
    "Witnesses\nPositive: 12, Negative: 30\nCondition exists (1:r0=1 /\\ 1:r1=0) is validated\nHash=abc\n"
    "Observation MP Sometimes 12 30\nTime MP 0.50\nHung MP 7\n\n";

}  // namespace

TEST_CASE("a histogram") {
  const auto tests = read(kRun);
  REQUIRE(tests.size() == 1);
  CHECK(tests[0].name == "MP");
  CHECK(tests[0].hash == "abc");
  CHECK(tests[0].states.at("1:r0=1; 1:r1=0;") == 12);
  CHECK(tests[0].observed == 42);
  CHECK(tests[0].hung == 7);
  CHECK(tests[0].seconds == doctest::Approx(0.5));
}

TEST_CASE("a simulator's log, JSON, and a test that occurs twice") {
  const auto tests = read(
      "Test SB Allowed\nStates 2\n1:r0=1; 0:r0=0;\n[x]=2;\nOk\n\n" + kRun +
      R"({"test":"MP","hash":"abc","states":[{"state":"1:r1=0; 1:r0=1;","count":8}],"hung":1,"seconds":1})"
      "\n");
  REQUIRE(tests.size() == 2);
  CHECK(tests[0].states.at("0:r0=0; 1:r0=1;") == 1);
  CHECK(tests[0].states.at("[x]=2;") == 1);
  CHECK(tests[1].states.at("1:r0=1; 1:r1=0;") == 20);
  CHECK(tests[1].hung == 8);
  CHECK(tests[1].seconds == doctest::Approx(1.5));
}

TEST_CASE("a name ends at any blank") {
  const auto tests = read("Test MP\tAllowed\nHistogram (1 states)\n1:>1:r0=0;\nTime MP 0.5\n");
  REQUIRE(tests.size() == 1);
  CHECK(tests[0].name == "MP");
  CHECK(tests[0].observed == 1);
}

TEST_CASE("texts that are no log") {
  CHECK_THROWS_AS(read(""), InputError);
  CHECK_THROWS_AS(read("hello\n"), InputError);
  CHECK_THROWS_AS(read("Test MP Allowed\nHistogram (3 states)\n1:>1:r0=0;\n"), InputError);
  CHECK_THROWS_AS(read("Test MP Allowed\nHistogram (1 states)\nx:>1:r0=0;\n"), InputError);
  CHECK_THROWS_AS(read("Test MP Allowed\nHistogram (many)\n"), InputError);
  CHECK_THROWS_AS(read("{\"test\":1}\n"), InputError);
  CHECK_THROWS_AS(read("{\"test\":\"M P\",\"hash\":\"a\",\"states\":[]}\n"),
                  InputError);  // as text it would be test M
  CHECK_THROWS_AS(read(kRun + "Test MP Allowed\nHash=abd\n"), InputError);
}

TEST_CASE("a log whose number of states is wrong") {
  const auto message = [](const std::string& text) -> std::string {
    try {
      read(text);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  const std::string head = "Test MP Allowed\n", one = "10:>1:r0=0;\n", other = "5*>1:r0=1;\n";
  const std::string end = "Ok\n\nWitnesses\nPositive: 5, Negative: 10\n";
  CHECK(message(head + "Histogram (2 states)\n" + one + other + end) == "");
  // more than there are: the next line is no state
  const std::string more = message(head + "Histogram (3 states)\n" + one + other + end);
  CHECK(more.starts_with("log:5:1: error: expected COUNT:>STATE"));
  CHECK(more.find("found `Ok`") != std::string::npos);
  CHECK(message(head + "States 2\n1:r0=0;\nNo\n").starts_with("log:4:1: error: expected a state"));
  // fewer: a state is left
  CHECK(message(head + "Histogram (1 states)\n" + one + other + end)
            .starts_with("log:4:1: error: a state beyond"));
  // no value of anything
  CHECK(message(head + "States 1\n=0;\n") != "");
  CHECK(message(head + "States 1\n\nOk\n") == "");  // observes nothing
}

TEST_CASE("how states stand") {
  Allowed allowed;
  allowed.states = {"0:r0=0;", "0:r0=1;"};
  Comparison c = compare(allowed, {{"0:r0=1;", 5}, {"0:r0=2;", 1}});
  REQUIRE(c.rows.size() == 3);
  CHECK(c.rows[0].standing == Standing::unseen);
  CHECK(c.rows[1].standing == Standing::seen);
  CHECK(c.rows[2].standing == Standing::forbidden);
  CHECK(c.observed == 6);
  CHECK(compare_text(c).find("0:r0=2;  FORBIDDEN BUT OBSERVED") != std::string::npos);
  CHECK(summary_text({c}).find("FORBIDDEN outcomes were observed in 1 tests") != std::string::npos);

  allowed.unknown = "timeout";
  CHECK(compare(allowed, {{"0:r0=2;", 1}}).rows_of(Standing::open) == 1);
  allowed.undefined = true;
  c = compare(allowed, {{"0:r0=2;", 1}});
  CHECK(c.rows_of(Standing::undefined) == 1);
  CHECK(summary_text({c}).find("No forbidden outcome") != std::string::npos);
}

TEST_CASE("two models differ only where both lists are whole") {
  Allowed here, other;
  here.states = {"0:r0=0;", "0:r0=1;"};
  other.states = {"0:r0=1;", "0:r0=2;"};
  Comparison c = compare_models(here, other);
  CHECK(c.rows_of(Standing::unseen) == 1);
  CHECK(c.rows_of(Standing::forbidden) == 1);
  other.unknown = "timeout";
  c = compare_models(here, other);
  CHECK(c.rows_of(Standing::unseen) == 0);
  CHECK(c.rows_of(Standing::open) == 1);
  CHECK(c.other_unknown == "timeout");
  here.unknown = "too-large";
  CHECK(compare_models(here, other).rows_of(Standing::open) == 2);
}

TEST_CASE("an unknown initial value stands for any value, the same one everywhere") {
  Allowed allowed;
  allowed.states = {"0:r0=s_init; 0:r1=s_init; 0:r2=1;"};
  allowed.symbols = {"s_init"};
  CHECK(compare(allowed, {{"0:r0=7; 0:r1=7; 0:r2=1;", 1}}).rows_of(Standing::seen) == 1);
  CHECK(compare(allowed, {{"0:r0=7; 0:r1=7; 0:r2=1;", 1}}).rows_of(Standing::unseen) == 0);
  CHECK(compare(allowed, {{"0:r0=7; 0:r1=8; 0:r2=1;", 1}}).rows_of(Standing::forbidden) == 1);
  CHECK(compare(allowed, {{"0:r0=7; 0:r1=7; 0:r2=2;", 1}}).rows_of(Standing::forbidden) == 1);
  CHECK(compare(allowed, {{"0:r0=7; 0:r1=7;", 1}}).rows_of(Standing::forbidden) == 1);
}

TEST_CASE("weak outcomes are those that sequential consistency forbids") {
  Allowed sc;
  sc.states = {"0:r0=0; 1:r0=1;", "0:r0=1; 1:r0=1;"};
  CHECK(count_weak(sc, {{"0:r0=0; 1:r0=0;", 3}, {"0:r0=1; 1:r0=1;", 4}, {"0:r0=2; 1:r0=1;", 5}}) == 8);
  sc.unknown = "timeout";
  CHECK(count_weak(sc, {{"0:r0=0; 1:r0=0;", 3}}) == 0);
}

TEST_CASE("names that the model's states do not have") {
  Allowed allowed;
  allowed.states = {"0:r0=1;"};
  const Comparison c = compare(allowed, {{"0:r0=1; [x]=1;", 2}, {"0:r0=1; [x]=2;", 3}});
  REQUIRE(c.rows.size() == 1);
  CHECK(c.rows[0].state == "0:r0=1;");
  CHECK(c.rows[0].count == 5);
  CHECK(compare(allowed, {{"0:r0=2; [x]=1;", 2}}).rows_of(Standing::forbidden) == 1);
}

TEST_CASE("the page escapes what it shows") {
  Comparison c = compare({{"0:r0=0;"}, {}, "", false}, {{"0:r0=0;", 3}});
  c.test = "a<b";
  CHECK(compare_html({c}).find("<td>a&lt;b</td>") != std::string::npos);
}

TEST_CASE("a log that a crash cut short") {
  const std::string line = R"({"test":"MP","hash":"abc","states":[{"state":"1:r0=0;","count":8}]})";
  std::vector<std::string> warnings;
  const auto read_torn = [&](const std::string& text) {
    return read_log(std::make_shared<const Source>(Source{"log", text}), &warnings);
  };
  CHECK(read_torn(line + "\n" + line.substr(0, 40))[0].observed == 8);
  CHECK(warnings == std::vector<std::string>{"log:2: left out: the last line is torn"});
  CHECK(read_torn(line + "\n" + std::string(9, '\0') + "\n")[0].observed == 8);
  CHECK(warnings.back() == "log:2: left out: these bytes are no text");
  CHECK(read_torn(line)[0].observed == 8);  // whole, but for its end
  CHECK_THROWS_AS(read(line.substr(0, 40) + "\n" + line + "\n"), InputError);
  CHECK_THROWS_AS(read("Test MP Allowed\nHistogram (1 states)\n12 :>1:r0=0; 1:r1"), InputError);
}

TEST_CASE("counts that are none") {
  for (const char* count : {"-1", "1.5", "1e300", "\"7\"", "null"}) {
    CAPTURE(count);
    CHECK_THROWS_AS(read(std::string(R"({"test":"MP","hash":"a","states":[{"state":"1:r0=0;","count":)") +
                         count + "}]}\n"),
                    InputError);
  }
  CHECK_THROWS_AS(read(R"({"test":"MP","hash":"a","states":[],"seconds":1e999999})"
                       "\n"),
                  InputError);
}

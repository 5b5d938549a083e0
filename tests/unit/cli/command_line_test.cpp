// SPDX-License-Identifier: Apache-2.0
// Whole command lines in process: exit status, output order, what goes where.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "../contains.h"
#include "face/cli/status.h"
#include "workplace.h"

using namespace ptxmc;
using namespace ptxmc::testing;

namespace {

/// The names on `Test NAME ...` lines, in order.
std::string tests_in(const std::string& out) {
  std::istringstream lines(out);
  std::string names;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("Test ")) names += line.substr(5, line.rfind(' ') - 5) + " ";
  }
  return names;
}

constexpr const char* kLoop =
    "PTX loop\n{ x=0; }\n P0 @ cta 0 | P1 @ cta 1 ;\n"
    " LC00: | st.relaxed.gpu x, 1 ;\n ld.relaxed.gpu r0, x | ;\n st.relaxed.gpu y, r0 | ;\n bne r0, 1, LC00 "
    "| ;\n"
    "exists (P0:r0 == 7)\n";

}  // namespace

TEST_CASE("the status that decides") {
  using cli::Status;
  const Status by_rank[] = {Status::ok, Status::unknown, Status::unmet, Status::input, Status::failure};
  for (int a = 0; a < 5; ++a) {
    for (int b = 0; b < 5; ++b) CHECK(cli::worse(by_rank[a], by_rank[b]) == by_rank[std::max(a, b)]);
  }
  CHECK(static_cast<int>(Status::failure) == 4);
  CHECK(static_cast<int>(Status::unknown) == 3);
  CHECK(static_cast<int>(Status::input) == 2);
  CHECK(static_cast<int>(Status::unmet) == 1);
}

TEST_CASE("verdicts and exit status") {
  const Workplace place;
  const std::string allowed = place.file("a.litmus", mp("A", false, "Verdict=Allowed\n"));
  const std::string forbidden = place.file("f.litmus", mp("F", true, "Verdict=Forbidden\n"));
  const std::string wrong = place.file("w.litmus", mp("W", true, "Verdict=Allowed\n"));
  const std::string plain = place.file("p.litmus", mp("P", true));
  CHECK(run_line({allowed}).status == 0);
  CHECK(run_line({"check", forbidden}).status == 0);
  CHECK(run_line({plain}).status == 0);  // No without a stated verdict
  CHECK(run_line({"--require-verdict", plain}).status == 1);
  const Ran unmet = run_line({wrong});
  CHECK(unmet.status == 1);
  CHECK(contains(unmet.err, "w.litmus:2:1: error: stated Verdict=Allowed, found Forbidden under ptx-9.4\n"));
  CHECK(contains(unmet.out, "\nNo\n"));
  const Ran all = run_line({allowed, forbidden, wrong, plain});
  CHECK(all.status == 1);
  CHECK(tests_in(all.out) == "A F W P ");
  CHECK(contains(all.err, "4 tests: 2 as stated, 1 not as stated, 1 without a stated verdict\n"));
  CHECK(run_line({"--quiet", allowed, forbidden}).err == "");
}

TEST_CASE("engines, formats and models by option") {
  const Workplace place;
  const std::string file = place.file("a.litmus", mp("A", false));
  std::string first;
  for (const char* engine : {"explicit", "smt", "auto", "both"}) {
    CAPTURE(engine);
    const Ran ran = run_line({"--engine", engine, "--recheck", "all", file});
    CHECK(ran.status == 0);
    CHECK(ran.err == "");
    const std::string states = ran.out.substr(0, ran.out.find("Time "));
    if (first.empty()) first = states;
    CHECK(states == first);
  }
  CHECK(contains(run_line({"--verdict", file}).out, "Test A Allowed\nOk\nCondition exists "));
  const auto json = nlohmann::json::parse(run_line({"-f", "json", "-m", "ptx-6.0", file}).out);
  CHECK(json["model"] == "ptx-6.0");
  CHECK(json["answer"] == "Allowed");
  CHECK(contains(run_line({"-f", "dot", "--show", "rf,po", file}).out, "label=\"rf\", color=purple"));
  CHECK(run_line({"-f", "dot", "--show", "nonesuch", file}).status == 2);
}

TEST_CASE("a bad file among good ones is reported and the others run") {
  const Workplace place;
  const std::string good = place.file("a.litmus", mp("A", false));
  const std::string bad = place.file("b.litmus", "PTX B\n{ }\n P0 ;\n frobnicate r0 ;\nexists (0:r0=1)\n");
  const Ran ran = run_line({good, bad, place.at("missing.litmus"), good});
  CHECK(ran.status == 2);
  CHECK(tests_in(ran.out) == "A A ");
  CHECK(contains(ran.err, "b.litmus:4:"));
  CHECK(contains(ran.err, "missing.litmus': no such file"));
  CHECK(contains(ran.err, "4 tests: 2 without a stated verdict, 2 bad input\n"));
  CHECK(contains(run_line({"-f", "json", bad}).out, "\"errors\":"));
}

TEST_CASE("jobs keep the order of the input") {
  const Workplace place;
  std::vector<std::string> arguments = {"--jobs", "4"};
  std::string expected;
  for (int i = 0; i < 12; ++i) {
    const std::string name = "T" + std::to_string(i);
    arguments.push_back(place.file(name + ".litmus", mp(name, i % 2 == 0)));
    expected += name + " ";
  }
  CHECK(tests_in(run_line(arguments).out) == expected);
}

TEST_CASE("standard input, lists and output files") {
  const Workplace place;
  CHECK(tests_in(run_line({"-"}, mp("FromInput", false)).out) == "FromInput ");
  place.file("a.litmus", mp("A", false));
  place.file("b.litmus", mp("B", true));
  const std::string list = place.file("names", "b.litmus\na.litmus\n");
  CHECK(tests_in(run_line({"@" + list}).out) == "B A ");
  const Ran ran = run_line({"-o", place.at("out.txt"), "@" + list});
  CHECK(ran.out == "");
  std::ifstream written(place.at("out.txt"));
  CHECK(tests_in(std::string(std::istreambuf_iterator<char>(written), {})) == "B A ");
  CHECK(run_line({"-o", place.at("no/such/folder"), "@" + list}).status == 2);
}

TEST_CASE("a loop that was cut is unknown unless its bound was given") {
  const Workplace place;
  const std::string file = place.file("loop.litmus", kLoop);
  const Ran ran = run_line({file});
  CHECK(ran.status == 3);
  CHECK(contains(ran.out, "\nLoop No\n"));
  CHECK(contains(ran.err, "unknown: unroll-bound"));
  CHECK(run_line({"--unroll", "3", file}).status == 0);
}

TEST_CASE("a model of the user's own, its flags and its errors") {
  const Workplace place;
  const std::string file = place.file("a.litmus", mp("A", false));
  const std::string sc =
      place.file("sc.cat", "\"SC\"\nacyclic po | rf | co | fr as sc\nflag ~empty rf as has-rf\n");
  const Ran ran = run_line({"--model", sc, file});
  CHECK(ran.status == 0);
  CHECK(contains(ran.out, "\nNo\n"));
  CHECK(contains(ran.out, "\nFlag has-rf\n"));
  CHECK_FALSE(run_line({"--no-flags", "--model", sc, file}).out.find("Flag") != std::string::npos);
  const std::string bad = place.file("bad.cat", "acyclic nonesuch\n");
  CHECK(run_line({"--model", bad, file}).status == 2);
  CHECK(run_line({"--model", "ptx-nonesuch", file}).status == 2);
  CHECK(run_line({"model", "check", sc, bad}).status == 2);
  CHECK(run_line({"model", "check", sc}).status == 0);
  CHECK(contains(run_line({"model", "check", sc}).out, " axioms, 1 flags, 1 orders"));
}

TEST_CASE("races are evaluated where a verdict speaks of them") {
  const Workplace place;
  const std::string racy = place.file("r.litmus", mp("R", false, "Verdict=Allowed Racy\n"));
  const std::string free = place.file("f.litmus", mp("F", true, "Verdict=Forbidden RaceFree\n"));
  CHECK(run_line({racy}).status == 0);
  CHECK(contains(run_line({racy}).out, "\nFlag race\n"));
  // Reading data without looking at the flag is a race even so.
  CHECK(run_line({free}).status == 1);
}

TEST_CASE("help, version and usage errors") {
  CHECK(run_line({}).status == 2);
  CHECK(run_line({"--help"}).status == 0);
  CHECK(contains(run_line({"--help"}).out, "Example:"));
  for (const std::vector<std::string>& verb : std::vector<std::vector<std::string>>{{"check"},
                                                                                    {"model"},
                                                                                    {"model", "list"},
                                                                                    {"model", "show"},
                                                                                    {"model", "check"},
                                                                                    {"model", "base"}}) {
    std::vector<std::string> line = verb;
    line.push_back("--help");
    const Ran ran = run_line(line);
    CAPTURE(verb.back());
    CHECK(ran.status == 0);
    CHECK(contains(ran.out, "Example:"));
    CHECK(ran.err == "");
  }
  CHECK(run_line({"--version"}).out.starts_with("ptxmc "));
  CHECK(run_line({"check"}).status == 2);
  CHECK(contains(run_line({"--engine", "none", "x"}).err, "ptxmc: error: "));
  CHECK(run_line({"--nonesuch", "x"}).status == 2);
  CHECK(run_line({"--jobs", "-1", "x"}).status == 2);
  CHECK(run_line({"--timeout", "0", "x"}).status == 2);
  CHECK(run_line({"model"}).status == 2);
}

TEST_CASE("the verb model") {
  CHECK(contains(run_line({"model", "list"}).out, "ptx-9.4"));
  CHECK(contains(run_line({"model", "list"}).out, "(default)"));
  CHECK(contains(run_line({"model", "base"}).out, "po "));
  CHECK(contains(run_line({"model", "show"}).out, "acyclic"));
  CHECK(run_line({"model", "show", "ptx-6.0"}).out != run_line({"model", "show", "ptx-9.4"}).out);
  CHECK(run_line({"model", "show", "nonesuch"}).status == 2);
}

TEST_CASE("check reads a line by the options that it names, and tells help and mistakes of all") {
  const Workplace place;
  const std::string file = place.file("a.litmus", mp("A", false));
  const std::vector<std::vector<std::string>> good = {{"-eexplicit"},
                                                      {"-qe", "smt"},
                                                      {"--engine=both", "-q"},
                                                      {"-e", "explicit", "--timeout=5"},
                                                      {"--quiet", "-t", "5"},
                                                      {"--no-flags"},
                                                      {"--flags"},
                                                      {"--only", "race", "--format", "text"}};
  for (std::vector<std::string> line : good) {
    line.push_back(file);
    CHECK_MESSAGE(run_line(line).status == 0, line.front());
  }
  CHECK(contains(run_line({"--flags", "--no-flags", file}).err, "excludes"));
  CHECK(contains(run_line({"--no-flags", "--flags", file}).err, "excludes"));
  CHECK(contains(run_line({"--engin", "smt", file}).err, "did you mean `--engine`?"));
  CHECK(contains(run_line({"--timeout=soon", file}).err, "--timeout"));
  CHECK(contains(run_line({"check", "-q"}).err, "FILE"));
  CHECK(contains(run_line({"check", "--help", "-q", file}).out, "--unroll"));
}

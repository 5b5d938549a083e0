// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "../contains.h"
#include "../reported.h"
#include "explain/edges.h"
#include "explain/words/values.h"
#include "input/litmus/hash.h"
#include "report/draw/dot.h"
#include "report/draw/svg.h"
#include "report/json/check.h"
#include "report/text/herd.h"
#include "support/diagnostic.h"

using namespace ptxmc;
using namespace ptxmc::testing;

namespace {

/// Without the last two lines (hash and blank line).
std::string without_hash(const std::string& text) {
  return text.substr(0, text.find("Hash="));
}

}  // namespace

TEST_CASE("herd text of exists") {
  Reported r;
  const std::string text = report::herd_text(r.outcome());
  CHECK(without_hash(text) ==
        "Test MP Allowed\n"
        "States 3\n"
        "1:r0=0; 1:r1=0; [x]=1;\n"
        "1:r0=0; 1:r1=1; [x]=1;\n"
        "1:r0=1; 1:r1=1; [x]=1;\n"
        "No\n"
        "Witnesses\n"
        "Positive: 0 Negative: 3\n"
        "Condition exists (1:r0=1 /\\ 1:r1=0)\n"
        "Observation MP Never 0 3\n"
        "Time MP 0.00\n");
  const std::string hash = text.substr(text.find("Hash="));
  CHECK(hash.size() == 5 + 32 + 2);
  CHECK(hash.find_first_not_of("0123456789abcdef", 5) == 5 + 32);
  CHECK(hash.ends_with("\n\n"));
}

TEST_CASE("herd text of ~exists swaps the witnesses, not the observation") {
  Reported r(mp_text("~exists (P1:r0 == 0)"));
  r.mp.graph.goal = event::Goal::not_exists;
  r.result.states[0].satisfied = r.result.states[1].satisfied = true;
  const std::string text = report::herd_text(r.outcome());
  CHECK(contains(text, "Test MP Forbidden\n"));
  CHECK(contains(text, "\nNo\nWitnesses\nPositive: 1 Negative: 2\nCondition ~exists (1:r0=0)\n"));
  CHECK(contains(text, "Observation MP Sometimes 2 1\n"));
}

TEST_CASE("herd text of forall") {
  Reported r(mp_text("forall (P1:r0 == 0 \\/ P1:r1 == 1)"));
  r.mp.graph.goal = event::Goal::forall;
  for (engine::State& state : r.result.states) state.satisfied = true;
  const std::string text = report::herd_text(r.outcome());
  CHECK(contains(text, "Test MP Required\n"));
  CHECK(contains(text, "\nOk\nWitnesses\nPositive: 3 Negative: 0\nCondition forall ("));
  CHECK(contains(text, "Observation MP Always 3 0\n"));
}

TEST_CASE("flags, loops and unknown answers") {
  Reported r;
  r.flags = {{"race", true}, {"proxy-race", false}, {"other", std::nullopt}};
  r.mp.graph.cut = true;
  CHECK(contains(report::herd_text(r.outcome()),
                 "\nLoop No\nWitnesses\nPositive: 0 Negative: 3\nFlag race\nFlag unknown-other\nCondition "));
  r.flags.clear();
  r.mp.graph.cut = false;
  r.result.complete = false;
  r.result.unknown = "timeout";
  CHECK(contains(report::herd_text(r.outcome()),
                 "\nUndef\nWitnesses\nPositive: 0 Negative: 3\nFlag unknown-timeout\nC"));
}

TEST_CASE("the short form of --verdict") {
  Reported r;
  r.query.ask = engine::Ask::verdict;
  r.result.states.clear();
  CHECK(report::herd_text(r.outcome()) ==
        "Test MP Allowed\nNo\nCondition exists (1:r0=1 /\\ 1:r1=0)\nTime MP 0.00\n\n");
}

TEST_CASE("the hash is one of the meaning") {
  const std::string base = litmus::meaning_hash(parse_text(mp_text()));
  const auto hash = [](const std::string& condition, const std::string& header) {
    return litmus::meaning_hash(parse_text(mp_text(condition, header)));
  };
  const std::string condition = "exists (P1:r0 == 1 /\\ P1:r1 == 0)";
  CHECK(hash("exists (1:r0=1 /\\ 1:r1=0)", "") == base);
  CHECK(hash(condition, "\"a doc string\"\nVerdict=Allowed\nKey=1\n(* a comment *)\n") == base);
  CHECK(hash("exists (P1:r0 == 1 /\\ P1:r1 == 1)", "") != base);
  CHECK(hash("~" + condition, "") != base);
  std::string renamed = mp_text(), changed = mp_text();
  renamed.replace(renamed.find("PTX MP"), 6, "PTX Other");
  CHECK(litmus::meaning_hash(parse_text(renamed)) == base);
  changed.replace(changed.find("x, 1"), 4, "x, 2");
  CHECK(litmus::meaning_hash(parse_text(changed)) != base);
}

TEST_CASE("values") {
  Reported r;
  event::ProgramGraph& graph = r.mp.graph;
  event::Observable o{"0:r0", {}, 32, true, false};
  CHECK(explain::print_value(graph, o, 0xffffffff) == "-1");
  o.is_signed = false;
  CHECK(explain::print_value(graph, o, 0xffffffff) == "4294967295");
  o.width = 64;
  CHECK(explain::print_value(graph, o, -1) == "18446744073709551615");
  o.width = event::kUnbounded;
  CHECK(explain::print_value(graph, o, -1) == "-1");
  graph.symbols = {{4096, "x"}};
  CHECK(explain::print_value(graph, o, 4096) == "x");
}

TEST_CASE("JSON") {
  Reported r(mp_text("exists (P1:r0 == 1 /\\ P1:r1 == 0)", "Verdict=Allowed\n"));
  r.flags = {{"race", true}, {"other", std::nullopt}};
  const std::string line = report::json_line(r.outcome(), report::Witnesses::all);
  CHECK(line.find('\n') == line.size() - 1);
  const nlohmann::json j = nlohmann::json::parse(line);
  CHECK(j["test"] == "MP");
  CHECK(j["file"] == "mp.litmus");
  CHECK(j["model"] == "sc");
  CHECK(j["engine"] == "explicit");
  CHECK(j["verdict"] == "No");
  CHECK(j["answer"] == "Forbidden");
  CHECK(j["stated"]["verdict"] == "Allowed");
  CHECK(j["stated"]["met"] == false);
  CHECK(j["flags"]["race"] == true);
  CHECK(j["flags"]["other"].is_null());
  REQUIRE(j["states"].size() == 3);
  CHECK(j["states"][1]["values"] == nlohmann::json({{"1:r0", 0}, {"1:r1", 1}, {"[x]", 1}}));
  CHECK(j["states"][1]["satisfied"] == false);
  REQUIRE(j["witnesses"].size() == 3);
  CHECK(j["witnesses"][2]["rf"] == nlohmann::json::parse("[[2,5],[3,4]]"));
  CHECK(j["witnesses"][2]["co"] == nlohmann::json::parse("[[0,2],[1,3]]"));
  CHECK(j["witnesses"][2]["events"][4]["thread"] == 1);
  CHECK(j["witnesses"][2]["events"][4]["value"] == 1);
  CHECK(j["counts"]["events"] == 6);
  CHECK(nlohmann::json::parse(report::json_line(r.outcome(), report::Witnesses::first))["witnesses"].size() ==
        1);
  CHECK(nlohmann::json::parse(report::json_line(r.outcome(), report::Witnesses::none))["witnesses"].empty());
}

TEST_CASE("the deciding state") {
  Reported r;
  CHECK(explain::deciding_state(r.mp.graph, r.result) == 0);
  r.result.states[2].satisfied = true;
  CHECK(explain::deciding_state(r.mp.graph, r.result) == 2);
  r.mp.graph.goal = event::Goal::forall;
  r.result.states[0].satisfied = true;
  CHECK(explain::deciding_state(r.mp.graph, r.result) == 1);
  r.result.states.clear();
  CHECK_FALSE(explain::deciding_state(r.mp.graph, r.result));
}

TEST_CASE("DOT") {
  Reported r;
  r.result.states.erase(r.result.states.begin());  // leaves r0=0, r1=1 first
  const auto graph = [&](const std::vector<std::string>& shown) {
    return report::dot("MP", report::drawing_of(r.outcome(), shown));
  };
  const std::string dot = graph({"writes", "com"});
  CHECK(contains(dot, "digraph \"MP\" {"));
  CHECK(contains(dot, "  subgraph cluster_e_1 {\n    label=\"P1 @ "));
  CHECK(contains(dot, "\\n{writes}\"]"));
  CHECK(contains(dot, "[label=\"po\", color=black"));
  CHECK(contains(dot, "[label=\"rf\", color=red"));
  CHECK(contains(dot, "[label=\"co\", color=blue"));
  CHECK(contains(dot, "[label=\"fr\", color=orange"));
  CHECK(contains(dot, "[label=\"com\", color=purple"));
  const std::string svg = report::svg_page(report::drawing_of(r.outcome(), {"writes", "com"}));
  CHECK(contains(svg, ".arrow.show0{stroke:purple"));
  CHECK(contains(svg, ">com</text>"));
  CHECK(contains(svg, "class=\"marks\""));
  CHECK_THROWS_AS(graph({"nonesuch"}), InputError);
  r.result.states.clear();
  CHECK(contains(graph({}), "no execution"));
  CHECK(contains(report::svg_page({}), "no execution"));
}

TEST_CASE("transitive reduction") {
  CHECK(explain::reduced({{1, 2}, {2, 3}, {1, 3}, {3, 4}, {1, 4}, {2, 4}}) ==
        check::PairSet{{1, 2}, {2, 3}, {3, 4}});
  CHECK(explain::reduced({{1, 2}, {1, 3}}) == check::PairSet{{1, 2}, {1, 3}});
}

// SPDX-License-Identifier: Apache-2.0
#include "face/web/ask.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "../contains.h"
#include "../message_passing.h"

using namespace ptxmc;
using namespace ptxmc::testing;
using Json = nlohmann::json;

namespace {

Json ask(const Json& question) {
  return Json::parse(web::ask(question.dump()));
}

Json ask(const char* what, const std::string& text, const Json& more = Json::object()) {
  Json question{{"ask", what}, {"text", text}};
  question.update(more);
  return ask(question);
}

}  // namespace

TEST_CASE("the page is told the models") {
  const Json models = ask({{"ask", "models"}});
  REQUIRE(models["models"].size() > 3);
  CHECK(contains(models["models"][0]["text"], "acyclic"));
  CHECK_FALSE(models["version"].get<std::string>().empty());
}

TEST_CASE("the page is told states, and the execution of each") {
  const Json answer = ask("check", mp("A", false, "Verdict=Allowed\n"));
  CHECK(answer["answer"] == "Allowed");
  CHECK(answer["complete"] == true);
  CHECK(answer["verdict_met"] == true);
  CHECK(answer["names"] == Json{"1:r0", "1:r1"});
  REQUIRE(answer["states"].size() == 4);
  CHECK(answer["states"][0]["values"] == Json{"0", "0"});
  CHECK(answer["states"][answer["deciding"].get<std::size_t>()]["satisfied"] == true);
  CHECK(contains(answer["witness"]["svg"], "<svg"));
  const Json first = ask("state", mp("A", false), {{"number", 0}});
  CHECK(contains(first["svg"], "<svg"));
  CHECK(first["svg"] != answer["witness"]["svg"]);
  CHECK(contains(ask("state", mp("A", false), {{"number", 4}})["error"], "no such state"));
}

TEST_CASE("the page is told why, and what races") {
  const Json why = ask("explain", mp("F", true));
  CHECK(why["kind"] == "forbidden");
  REQUIRE(why["axioms"].size() == 1);
  CHECK(why["axioms"][0]["steps"].size() > 2);
  CHECK(contains(why["axioms"][0]["witness"]["svg"], "<svg"));
  const Json races = ask("races", mp("A", false));
  CHECK(races["answer"] == "Racy");
  CHECK_FALSE(races["findings"].empty());
  CHECK(ask("liveness", mp("A", false))["hangs"] == false);
}

TEST_CASE("the page is told what is wrong, and where") {
  const Json bad = ask("check", "PTX B\n{ }\n P0 ;\n frobnicate r0 ;\nexists (0:r0=1)\n");
  CHECK(bad["answer"] == "Error");
  REQUIRE_FALSE(bad["diagnostics"].empty());
  CHECK(bad["diagnostics"][0]["line"] == 4);
  CHECK(bad["diagnostics"][0]["column"] == 2);
  CHECK(bad["diagnostics"][0]["severity"] == "error");

  const Json model =
      ask("check", mp("A", false), {{"model", "mine"}, {"model_text", "acyclic nothing as Such\n"}});
  CHECK(model["where"] == "model");
  CHECK(contains(model["error"], "mine:1:9"));

  CHECK(ask({{"ask", "prepare"}, {"model_text", "acyclic nothing as Such\n"}})["where"] == "model");
  CHECK(ask({{"ask", "prepare"}, {"model", "ptx-9.4"}}) == Json::object());

  CHECK(contains(ask("sing", "")["error"], "there is no question"));
  CHECK(contains(Json::parse(web::ask("{"))["error"], "parse"));
  CHECK(contains(Json::parse(web::ask("{\"ask\": \"check\", \"text\": \"\xff\"}"))["error"], "UTF-8"));
}

TEST_CASE("the page is told readings, and asks with them and with other options") {
  const Json models = ask({{"ask", "models"}});
  REQUIRE(models["readings"].size() > 5);
  for (const Json& reading : models["readings"]) {
    CHECK(reading["values"].size() > 1);
    const std::string other =
        reading["name"].get<std::string>() + "=" + reading["values"][1].get<std::string>();
    // Flags tell of a race, which nobody has asked for.
    CHECK(ask("check", mp("A", false), {{"readings", {other}}})["answer"] ==
          (other == "race=undefined" ? "Undefined" : "Allowed"));
  }
  CHECK(contains(ask("check", mp("A", false), {{"readings", {"no=such"}}})["error"], "no"));
  const std::string counts =
      "PTX cut\n{ x=0; }\n P0 @ cta 0 ;\n L: atom.add.relaxed.gpu r0, [x], 1 ;\n bne r0, 7, L ;\nexists (x "
      "== 8)\n";
  CHECK(ask("check", counts)["bound_hit"] == true);
  CHECK(ask("liveness", counts)["unknown"] == "unroll-bound");
  CHECK(ask("liveness", counts, {{"unroll", 2}})["unknown"] ==
        "unroll-bound");  // beyond every bound it is open
  CHECK(contains(ask("liveness", counts, {{"unroll", 2}})["report"], "more than 2 times"));
  CHECK(contains(ask("check", counts, {{"progress", "luck"}})["error"], "luck"));
}

TEST_CASE("the page's own model is what answers") {
  const std::string weak = ask({{"ask", "models"}})["models"][0]["text"];
  const Json none =
      ask("check", mp("F", true), {{"model_text", "let nothing = po & rf\nacyclic nothing as Nothing\n"}});
  CHECK(none["answer"] != "Forbidden");
  CHECK(ask("check", mp("F", true), {{"model_text", weak}})["answer"] == "Forbidden");
}

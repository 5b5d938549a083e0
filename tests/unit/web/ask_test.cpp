// SPDX-License-Identifier: Apache-2.0
#include "web/ask.h"

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
  CHECK(ask({{"ask", "prepare"}, {"model", "ptx-9"}}) == Json::object());

  CHECK(contains(ask("sing", "")["error"], "nobody asks"));
  CHECK(contains(Json::parse(web::ask("{"))["error"], "parse"));
  CHECK(contains(Json::parse(web::ask("{\"ask\": \"check\", \"text\": \"\xff\"}"))["error"], "UTF-8"));
}

TEST_CASE("the page's own model is what answers") {
  const std::string weak = ask({{"ask", "models"}})["models"][0]["text"];
  const Json none =
      ask("check", mp("F", true), {{"model_text", "let nothing = po & rf\nacyclic nothing as Nothing\n"}});
  CHECK(none["answer"] != "Forbidden");
  CHECK(ask("check", mp("F", true), {{"model_text", weak}})["answer"] == "Forbidden");
}

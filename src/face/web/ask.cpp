// SPDX-License-Identifier: Apache-2.0
#include "face/web/ask.h"

#include <cstddef>
#include <exception>
#include <memory>
#include <new>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "ptxmc/ptxmc.h"

namespace ptxmc::web {

namespace {

using Json = nlohmann::ordered_json;

constexpr double kTimeout = 20;  // seconds, where the page does not say

/// A question that makes no sense; what is wrong with the model.
struct WrongModel : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

const char* word_of(api::Answer answer) {
  switch (answer) {
    case api::Answer::allowed:
      return "Allowed";
    case api::Answer::forbidden:
      return "Forbidden";
    case api::Answer::required:
      return "Required";
    case api::Answer::not_required:
      return "NotRequired";
    case api::Answer::undefined:
      return "Undefined";
    case api::Answer::unknown:
      return "Unknown";
    case api::Answer::error:
      return "Error";
  }
  return "Error";
}

const char* word_of(api::RaceAnswer answer) {
  switch (answer) {
    case api::RaceAnswer::racy:
      return "Racy";
    case api::RaceAnswer::race_free:
      return "RaceFree";
    case api::RaceAnswer::unknown:
      return "Unknown";
    case api::RaceAnswer::error:
      return "Error";
  }
  return "Error";
}

const char* word_of(api::Explanation::Kind kind) {
  switch (kind) {
    case api::Explanation::Kind::reachable:
      return "reachable";
    case api::Explanation::Kind::forbidden:
      return "forbidden";
    case api::Explanation::Kind::impossible:
      return "impossible";
    case api::Explanation::Kind::unknown:
      return "unknown";
    case api::Explanation::Kind::error:
      return "error";
  }
  return "error";
}

Json shown(const std::vector<api::Diagnostic>& diagnostics) {
  Json out = Json::array();
  for (const api::Diagnostic& diagnostic : diagnostics) {
    Json notes = Json::array();
    for (const api::Note& note : diagnostic.notes)
      notes.push_back(
          {{"line", note.line}, {"column", note.column}, {"severity", "note"}, {"message", note.message}});
    out.push_back({{"line", diagnostic.line},
                   {"column", diagnostic.column},
                   {"severity", word_of(diagnostic.severity)},
                   {"message", diagnostic.message},
                   {"notes", std::move(notes)}});
  }
  return out;
}

Json shown(const std::optional<bool>& answer) {
  return answer ? Json(*answer) : Json(nullptr);
}

Json shown(const std::optional<api::Witness>& witness) {
  if (!witness) return nullptr;
  return {{"svg", witness->svg}};
}

Json common(const api::Common& answer) {
  return {{"name", answer.name},
          {"unknown", answer.unknown},
          {"report", answer.report},
          {"diagnostics", shown(answer.diagnostics)},
          {"warnings", shown(answer.warnings)},
          {"problems", answer.problems}};
}

Json shown(const api::Result& result) {
  Json out = common(result);
  out["answer"] = word_of(result.answer);
  out["complete"] = result.complete;
  out["bound_hit"] = result.bound_hit;
  out["verdict_met"] = shown(result.verdict_met);
  Json& names = out["names"] = Json::array();
  Json& states = out["states"] = Json::array();
  for (const api::State& state : result.states) {
    Json values = Json::array();
    for (const auto& [name, value] : state.values) {
      if (states.empty()) names.push_back(name);
      values.push_back(value);
    }
    states.push_back({{"values", std::move(values)}, {"satisfied", state.satisfied}});
  }
  out["deciding"] = result.deciding ? Json(*result.deciding) : Json(nullptr);
  out["witness"] = shown(result.witness);
  Json& flags = out["flags"] = Json::array();
  for (const api::Flag& flag : result.flags) {
    if (flag.raised != false) flags.push_back({{"name", flag.name}, {"raised", shown(flag.raised)}});
  }
  return out;
}

Json shown(const std::vector<api::Violation>& violations) {
  Json out = Json::array();
  for (const api::Violation& violation : violations) {
    Json steps = Json::array();
    for (const auto& [level, text] : violation.steps) steps.push_back({{"level", level}, {"text", text}});
    out.push_back({{"axiom", violation.axiom},
                   {"section", violation.section},
                   {"text", violation.text},
                   {"steps", std::move(steps)},
                   {"witness", shown(violation.witness)}});
  }
  return out;
}

Json shown(const api::Explanation& explanation) {
  Json out = common(explanation);
  out["kind"] = word_of(explanation.kind);
  out["axioms"] = shown(explanation.axioms);
  out["alternatives"] = shown(explanation.alternatives);
  out["minimal"] = explanation.minimal;
  out["witness"] = shown(explanation.witness);
  return out;
}

Json shown(const std::vector<api::Finding>& findings) {
  Json out = Json::array();
  for (const api::Finding& finding : findings) {
    Json places = Json::array();
    for (const api::Place& place : finding.places)
      places.push_back(
          {{"thread", place.thread}, {"line", place.line}, {"column", place.column}, {"text", place.text}});
    out.push_back({{"rule", finding.rule},
                   {"severity", word_of(finding.severity)},
                   {"certain", finding.certain},
                   {"places", std::move(places)},
                   {"missing", finding.missing},
                   {"cause", finding.cause},
                   {"advice", finding.advice},
                   {"witness", shown(finding.witness)}});
  }
  return out;
}

Json shown(const api::RaceResult& result) {
  Json out = common(result);
  out["answer"] = word_of(result.answer);
  out["findings"] = shown(result.findings);
  return out;
}

Json shown(const api::LivenessResult& result) {
  Json out = common(result);
  out["hangs"] = shown(result.hangs);
  out["findings"] = shown(result.findings);
  return out;
}

api::Progress progress_of(const std::string& word) {
  if (word == "fair") return api::Progress::fair;
  if (word == "obe") return api::Progress::obe;
  if (word == "hsa") return api::Progress::hsa;
  throw std::invalid_argument("there is no schedule \"" + word + "\"");
}

api::Options options_of(const Json& question) {
  api::Options options;
  options.engine = api::Engine::explicit_;
  options.pictures = true;
  options.witnesses = question.at("ask") == "state";
  options.model = question.value("model", "");
  options.model_text = question.value("model_text", "");
  options.timeout = question.value("timeout", kTimeout);
  options.readings = question.value("readings", std::vector<std::string>{});
  options.unbounded = question.value("unbounded", false);
  if (question.contains("unroll")) options.unroll = question["unroll"].get<int>();
  options.progress = progress_of(question.value("progress", "fair"));
  return options;
}

/// A checker takes longer to make than to ask: the last one with witnesses of all states and the last one without are kept, and
/// what each was made for.
const api::Checker& checker_for(const Json& question) {
  struct Kept {
    std::unique_ptr<api::Checker> checker;
    Json made_for;
  };
  static Kept kept[2];
  auto& [last, made_for] = kept[question.at("ask") == "state" ? 1 : 0];
  Json key;
  for (const char* field : {"model", "model_text", "timeout", "readings", "unbounded", "unroll", "progress"})
    key[field] = question.value(field, Json());
  if (!last || key != made_for) {
    last.reset();
    try {
      last = std::make_unique<api::Checker>(options_of(question));
    } catch (const std::invalid_argument& error) {
      throw WrongModel(error.what());
    }
    made_for = key;
  }
  return *last;
}

Json models() {
  Json out{{"version", std::string(api::version())}, {"models", Json::array()}};
  for (const std::string& name : api::profiles())
    out["models"].push_back({{"name", name}, {"text", api::model_text(name)}});
  out["readings"] = Json::array();
  for (const api::Reading& reading : api::readings())
    out["readings"].push_back({{"name", reading.name},
                               {"values", reading.values},
                               {"rules", reading.rules},
                               {"about", reading.about}});
  return out;
}

Json state_of(const api::Result& result, std::size_t number) {
  if (number >= result.states.size()) throw std::invalid_argument("there is no such state");
  return shown(result.states[number].witness);
}

Json answer_to(const Json& question) {
  const std::string asked = question.at("ask");
  if (asked == "models") return models();
  if (asked == "prepare") {
    checker_for(question);
    return Json::object();
  }
  const std::string text = question.at("text");
  const std::string name = question.value("name", "test.litmus");
  const api::Checker& checker = checker_for(question);
  if (asked == "check") return shown(checker.check(text, name));
  if (asked == "explain") return shown(checker.explain(text, name));
  if (asked == "races") return shown(checker.races(text, name));
  if (asked == "liveness") return shown(checker.liveness(text, name));
  if (asked == "state") return state_of(checker.check(text, name), question.at("number").get<std::size_t>());
  throw std::invalid_argument("there is no question \"" + asked + "\"");
}

}  // namespace

std::string ask(std::string_view question) {
  Json out;
  try {
    out = answer_to(Json::parse(question));
  } catch (const WrongModel& error) {
    out = {{"error", error.what()}, {"where", "model"}};
  } catch (const std::bad_alloc&) {
    out = {{"error", "this takes more memory than a page has"}};
  } catch (const std::exception& error) {
    out = {{"error", error.what()}};
  }
  return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace ptxmc::web

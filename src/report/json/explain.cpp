// SPDX-License-Identifier: Apache-2.0
#include "report/json/explain.h"

#include <nlohmann/json.hpp>

#include "explain/sentences.h"
#include "ptx/program/print.h"
#include "report/json/check.h"
#include "report/json/line.h"

namespace ptxmc::report {

namespace {

using Json = nlohmann::ordered_json;

std::string_view name_of(explain::Explanation::Kind kind) {
  switch (kind) {
    case explain::Explanation::Kind::reachable:
      return "reachable";
    case explain::Explanation::Kind::forbidden:
      return "forbidden";
    case explain::Explanation::Kind::impossible:
      return "impossible";
    case explain::Explanation::Kind::unknown:
      return "unknown";
  }
  return "";
}

std::string_view name_of(explain::Shape shape) {
  switch (shape) {
    case explain::Shape::cycle:
      return "cycle";
    case explain::Shape::loop:
      return "loop";
    case explain::Shape::pair:
      return "pair";
    case explain::Shape::element:
      return "element";
    case explain::Shape::absent:
      return "absent";
    case explain::Shape::final_value:
      return "final-value";
  }
  return "";
}

Json steps_json(const std::vector<explain::Step>& steps, int depth) {
  Json out = Json::array();
  for (const explain::Step& step : steps) {
    Json one = {{"from", step.from}, {"to", step.to}, {"name", step.name}};
    if (!step.section.empty()) one["section"] = step.section;
    if (depth > 1 && !step.because.empty()) one["because"] = steps_json(step.because, depth - 1);
    if (depth > 1 && !step.conditions.empty()) one["conditions"] = steps_json(step.conditions, depth - 1);
    out.push_back(std::move(one));
  }
  return out;
}

Json state_json(const explain::Outcome& outcome, const engine::State& state) {
  Json out = {{"values", values_json(outcome.query.graph, state)}};
  out.update(execution_json(outcome, state));
  return out;
}

Json violation_json(const explain::Outcome& outcome, const explain::Violation& violation, int depth) {
  Json out = {{"axiom", violation.axiom}};
  if (!violation.section.empty()) out["section"] = violation.section;
  out["text"] = violation.text;
  out["shape"] = name_of(violation.shape);
  out["words"] = explain::lead_of(violation);
  if (violation.at != event::kNoEvent) out["at"] = violation.at;
  out["steps"] = steps_json(violation.chain.steps, depth);
  if (!violation.chain.conditions.empty()) out["conditions"] = steps_json(violation.chain.conditions, depth);
  if (!violation.also_violated.empty()) out["also"] = violation.also_violated;
  if (violation.state) out["execution"] = state_json(outcome, *violation.state);
  return out;
}

Json violations(const explain::Outcome& outcome, const std::vector<explain::Violation>& all, int depth) {
  Json out = Json::array();
  for (const explain::Violation& violation : all) out.push_back(violation_json(outcome, violation, depth));
  return out;
}

}  // namespace

std::string explain_json(const explain::Outcome& outcome, const explain::Explanation& explanation,
                         int depth) {
  Json out = json_head("explain");
  out["test"] = outcome.test.name;
  out["file"] = outcome.file;
  out["model"] = outcome.model;
  if (!outcome.readings.empty()) out["readings"] = outcome.readings;
  out["engine"] = outcome.engine;
  out["condition"] = program::print_condition_line(outcome.test.property);
  out["answer"] = explain::name_of(outcome.judgement.answer);
  if (!outcome.judgement.unknown.empty()) out["unknown"] = outcome.judgement.unknown;
  out["explanation"] = name_of(explanation.kind);
  out["words"] = explain::headline(outcome, explanation);
  if (!explanation.reason.empty()) out["reason"] = explanation.reason;
  out["minimal"] = explanation.minimal;
  if (explanation.state) out["execution"] = state_json(outcome, *explanation.state);
  out["axioms"] = violations(outcome, explanation.axioms, depth);
  out["alternatives"] = violations(outcome, explanation.alternatives, depth);
  out["seconds"] = outcome.seconds;
  return json_text(out);
}

}  // namespace ptxmc::report

// SPDX-License-Identifier: Apache-2.0
#include "report/verify_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <utility>

#include "report/finding.h"
#include "report/position_json.h"
#include "report/verify_claim.h"
#include "report/verify_findings.h"
#include "report/verify_limits.h"

namespace ptxmc::report {

namespace {

using Json = nlohmann::ordered_json;

std::string file_of(const Verified& of) {
  return of.program->source == nullptr ? "" : of.program->source->name;
}

Json place_json(const VerifyPlace& place) {
  Json out;
  add_position(out, place.position, place.origin);
  out["text"] = place.text;
  if (!place.thread.empty()) out["thread"] = {place.in_cta, place.cta};
  if (!place.access.empty()) out["access"] = place.access;
  out["proxy"] = isa::name_of(place.proxy);
  if (!place.waits.empty()) out["waits"] = place.waits;
  return out;
}

Json finding_json(const VerifyFinding& finding) {
  Json out = {
      {"rule", finding.rule}, {"severity", name_of(finding.severity)}, {"instances", finding.instances}};
  out["places"] = Json::array();
  for (const VerifyPlace& place : finding.places) out["places"].push_back(place_json(place));
  out["pairs"] = Json::array();
  for (const VerifyPair& pair : finding.pairs) {
    Json one = {
        {"lines",
         {finding.places.at(pair.first).position.line, finding.places.at(pair.second).position.line}}};
    if (!pair.bytes.empty()) one["bytes"] = pair.bytes;
    out["pairs"].push_back(std::move(one));
  }
  out["cause"] = finding.cause;
  if (!finding.condition.empty()) out["condition"] = finding.condition;
  if (finding.exact) {
    out["confirmed"] = finding.exact->races ? Json(*finding.exact->races) : Json(nullptr);
    if (!finding.exact->why.empty()) out["unconfirmed"] = finding.exact->why;
    if (!finding.exact->file.empty()) out["litmus"] = finding.exact->file;
  }
  for (const auto& [what, place] : finding.ends) out[what] = place_json(place);
  if (!finding.advice.empty()) out["advice"] = finding.advice;
  if (!finding.section.empty()) out["section"] = finding.section;
  return out;
}

Json coverage_json(const Coverage& coverage) {
  Json out = {{"instructions", {coverage.executed, coverage.all}},
              {"synchronization", {coverage.synchronized, coverage.synchronizing}}};
  out["never"] = Json::array();
  for (const VerifyPlace& place : coverage.never) out["never"].push_back(place.position.line);
  return out;
}

std::string_view level_of(Severity severity) {
  return name_of(severity);  // SARIF has the same words
}

Json location_of(const std::string& file, const VerifyPlace& place, const std::string& message) {
  Json out;
  out["physicalLocation"] = {{"artifactLocation", {{"uri", file}}},
                             {"region",
                              {{"startLine", std::max<std::size_t>(place.position.line, 1)},
                               {"startColumn", std::max<std::size_t>(place.position.column, 1)},
                               {"snippet", {{"text", place.text}}}}}};
  out["message"] = {{"text", message}};
  return out;
}

std::string told(const VerifyPlace& place) {
  std::string out = place.access.empty() ? place.text : place.access;
  if (!place.thread.empty()) out += " by " + place.thread;
  if (place.origin.known()) out += fmt::format(" ({})", place.origin.text());
  return out;
}

Json sarif_json(const std::string& file, const VerifyFinding& finding) {
  std::string text = finding.cause;
  if (!finding.condition.empty()) text += ", " + finding.condition;
  if (!finding.advice.empty()) text += ". Missing: " + finding.advice;
  if (!finding.section.empty()) text += fmt::format(" (PTX ISA {})", finding.section);
  Json out = {{"ruleId", finding.rule}, {"level", level_of(finding.severity)}, {"message", {{"text", text}}}};
  out["occurrenceCount"] = finding.instances;
  out["locations"] = Json::array({location_of(file, finding.places.front(), told(finding.places.front()))});
  out["relatedLocations"] = Json::array();
  for (std::size_t i = 1; i < finding.places.size(); ++i)
    out["relatedLocations"].push_back(location_of(file, finding.places[i], told(finding.places[i])));
  return out;
}

}  // namespace

std::string verify_json(const Verified& verified) {
  const VerifyAnswer answer = answer_of(verified);
  Json out = {{"launch", verified.name}, {"file", file_of(verified)}, {"answer", name_of(answer)}};
  out["claim"] = {{"exact", answer == VerifyAnswer::exact}, {"assumptions", limits_of(verified)}};
  out["findings"] = Json::array();
  for (const VerifyFinding& finding : findings_of(verified)) out["findings"].push_back(finding_json(finding));
  out["coverage"] = coverage_json(coverage_of(verified));
  out["ran"] = {{"lanes", verified.outcome.instructions},
                {"warps", verified.outcome.warp_instructions},
                {"seconds", verified.outcome.seconds}};
  return out.dump() + "\n";
}

void VerifySarif::add(const Verified& verified) {
  for (VerifyFinding& finding : findings_of(verified))
    results_.push_back({file_of(verified), std::move(finding)});
}

std::string VerifySarif::print() const {
  Json driver = {{"name", "ptxmc"}, {"version", version_}}, results = Json::array();
  driver["rules"] = Json::array();
  std::set<std::string_view> rules;
  for (const Result& result : results_) {
    results.push_back(sarif_json(result.file, result.finding));
    if (rules.insert(result.finding.rule).second) driver["rules"].push_back({{"id", result.finding.rule}});
  }
  Json run;
  run["tool"]["driver"] = std::move(driver);
  run["results"] = std::move(results);
  Json out = {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"}, {"version", "2.1.0"}};
  out["runs"] = Json::array({std::move(run)});
  return out.dump(2) + "\n";
}

}  // namespace ptxmc::report

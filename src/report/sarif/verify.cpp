// SPDX-License-Identifier: Apache-2.0
#include "report/sarif/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>

#include "explain/finding.h"

namespace ptxmc::report {

namespace {

using Json = nlohmann::ordered_json;

std::string_view level_of(Severity severity) {
  return explain::name_of(severity);  // SARIF has the same words
}

Json location_of(const std::string& file, const explain::VerifyPlace& place, const std::string& message) {
  Json out;
  out["physicalLocation"] = {{"artifactLocation", {{"uri", file}}},
                             {"region",
                              {{"startLine", std::max<std::size_t>(place.position.line, 1)},
                               {"startColumn", std::max<std::size_t>(place.position.column, 1)},
                               {"snippet", {{"text", place.text}}}}}};
  out["message"] = {{"text", message}};
  return out;
}

std::string told(const explain::VerifyPlace& place) {
  std::string out = place.access.empty() ? place.text : place.access;
  if (!place.thread.empty()) out += " by " + place.thread;
  if (place.origin.known()) out += fmt::format(" ({})", place.origin.text());
  return out;
}

Json sarif_json(const std::string& file, const explain::VerifyFinding& finding) {
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

void VerifySarif::add(const explain::Verified& verified) {
  for (explain::VerifyFinding& finding : findings_of(verified))
    results_.push_back({verified.file(), std::move(finding)});
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

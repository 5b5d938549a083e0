// SPDX-License-Identifier: Apache-2.0
#include "report/json/verify.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "explain/finding.h"
#include "explain/verify/claim.h"
#include "explain/verify/findings.h"
#include "explain/verify/limits.h"
#include "report/json/position.h"

namespace ptxmc::report {

namespace {

using Json = nlohmann::ordered_json;

Json place_json(const explain::VerifyPlace& place) {
  Json out;
  add_position(out, place.position, place.origin);
  out["text"] = place.text;
  if (!place.thread.empty()) out["thread"] = {place.in_cta, place.cta};
  if (!place.access.empty()) out["access"] = place.access;
  out["proxy"] = isa::name_of(place.proxy);
  if (!place.waits.empty()) out["waits"] = place.waits;
  return out;
}

Json finding_json(const explain::VerifyFinding& finding) {
  Json out = {{"rule", finding.rule},
              {"severity", explain::name_of(finding.severity)},
              {"instances", finding.instances}};
  out["places"] = Json::array();
  for (const explain::VerifyPlace& place : finding.places) out["places"].push_back(place_json(place));
  out["pairs"] = Json::array();
  for (const explain::VerifyPair& pair : finding.pairs) {
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

Json coverage_json(const explain::Coverage& coverage) {
  Json out = {{"instructions", {coverage.executed, coverage.all}},
              {"synchronization", {coverage.synchronized, coverage.synchronizing}}};
  out["never"] = Json::array();
  for (const explain::VerifyPlace& place : coverage.never) out["never"].push_back(place.position.line);
  return out;
}

}  // namespace

std::string verify_json(const explain::Verified& verified) {
  const explain::VerifyAnswer answer = answer_of(verified);
  Json out = {{"launch", verified.name}, {"file", verified.file()}, {"answer", name_of(answer)}};
  out["claim"] = {{"exact", answer == explain::VerifyAnswer::exact}, {"assumptions", limits_of(verified)}};
  out["findings"] = Json::array();
  for (const explain::VerifyFinding& finding : findings_of(verified))
    out["findings"].push_back(finding_json(finding));
  out["coverage"] = coverage_json(coverage_of(verified));
  out["ran"] = {{"lanes", verified.outcome.instructions},
                {"warps", verified.outcome.warp_instructions},
                {"seconds", verified.outcome.seconds}};
  return out.dump() + "\n";
}

}  // namespace ptxmc::report

// SPDX-License-Identifier: Apache-2.0
#include "report/json/verify.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "dynamic/claim/claim.h"
#include "explain/finding.h"
#include "explain/verify/claim_words.h"
#include "explain/verify/coverage.h"
#include "explain/verify/findings.h"
#include "report/json/line.h"

namespace ptxmc::report {

namespace {

using Json = nlohmann::ordered_json;

Json place_json(const explain::VerifyPlace& place, const std::string& file) {
  Json out;
  out["thread"] = place.number ? Json(*place.number) : Json(nullptr);
  if (place.number) out["cta"] = place.cta, out["in_cta"] = place.in_cta;
  add_position(out, file, place.position, place.origin);
  out["text"] = place.text;
  if (!place.access.empty()) out["access"] = place.access;
  out["proxy"] = isa::name_of(place.proxy);
  if (!place.waits.empty()) out["waits"] = place.waits;
  return out;
}

Json finding_json(const explain::VerifyFinding& finding, const std::string& file) {
  Json out = {
      {"rule", finding.rule}, {"severity", name_of(finding.severity)}, {"instances", finding.instances}};
  out["places"] = Json::array();
  for (const explain::VerifyPlace& place : finding.places) out["places"].push_back(place_json(place, file));
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
  for (const auto& [what, place] : finding.ends) out[what] = place_json(place, file);
  if (!finding.advice.empty()) out["advice"] = finding.advice;
  if (!finding.section.empty()) out["section"] = finding.section;
  return out;
}

Json lines_json(const claim::VerifyResult& verified, const std::vector<trace::Site>& sites) {
  Json out = Json::array();
  for (const trace::Site site : sites) out.push_back(explain::place_of(verified, site).position.line);
  return out;
}

Json claim_json(const claim::VerifyResult& verified, const claim::Claim& claim) {
  Json out = {{"exact", claim.verdict == claim::Verdict::proven}};
  out["assumptions"] = Json::array();
  for (const claim::Assumed& assumed : claim.assumptions)
    out["assumptions"].push_back({{"id", name_of(assumed.what)},
                                  {"message", explain::assumption_text(verified, assumed)},
                                  {"lines", lines_json(verified, assumed.sites)}});
  out["open"] = Json::array();
  for (const claim::Open& open : claim.open) {
    Json one = {{"id", name_of(open.reason)},
                {"message", explain::open_text(verified, open)},
                {"lines", lines_json(verified, open.sites)}};
    if (!closed_by(open.reason).empty()) one["closed_by"] = closed_by(open.reason);
    out["open"].push_back(std::move(one));
  }
  out["explored"] = {{"orders", claim.explored.orders},
                     {"all_orders", claim.explored.all_orders},
                     {"schedules", claim.explored.schedules},
                     {"both_sides", lines_json(verified, claim.explored.both_sides)}};
  out["schedule_dependent"] = lines_json(verified, claim.schedule_dependent);
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

std::string verify_json(const claim::VerifyResult& verified) {
  const claim::Claim claim = claim_of(verified);
  Json out = json_head("verify");
  out["launch"] = verified.name;
  out["file"] = verified.file();
  out["answer"] = name_of(claim.verdict);
  out["claim"] = claim_json(verified, claim);
  out["findings"] = Json::array();
  for (const explain::VerifyFinding& finding : explain::findings_of(verified))
    out["findings"].push_back(finding_json(finding, verified.file()));
  out["coverage"] = coverage_json(explain::coverage_of(verified));
  out["ran"] = {{"lanes", verified.outcome.instructions},
                {"warps", verified.outcome.warp_instructions},
                {"seconds", verified.outcome.seconds}};
  return json_text(out);
}

}  // namespace ptxmc::report

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
#include "report/json/finding.h"
#include "report/json/line.h"

namespace ptxmc::report {

namespace {

using Json = nlohmann::ordered_json;

Json lines_json(const claim::VerifyResult& verified, const std::vector<trace::Site>& sites) {
  Json out = Json::array();
  for (const trace::Site site : sites) out.push_back(explain::place_of(verified, site).position.line);
  return out;
}

Json claim_json(const claim::VerifyResult& verified, const claim::Claim& claim) {
  Json out = {{"exact", claim.verdict == claim::Verdict::proven},
              {"message", explain::claim_text(verified, claim)},
              {"covers", explain::covered_texts(verified, claim)},
              {"not_covered", explain::uncovered_texts(verified, claim)}};
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
    if (const std::string_view how = explain::closing_text(verified, open); !how.empty())
      one["closed_by"] = how;
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
  for (const explain::Place& place : coverage.never) out["never"].push_back(place.position.line);
  return out;
}

}  // namespace

std::string verify_json(const claim::VerifyResult& verified) {
  const claim::Claim claim = claim_of(verified);
  Json out = json_head("verify");
  out["launch"] = verified.name;
  if (verified.shape) out["grid"] = verified.shape->grid, out["block"] = verified.shape->block;
  out["file"] = verified.file();
  out["model"] = verified.model;
  out["answer"] = name_of(claim.verdict);
  out["claim"] = claim_json(verified, claim);
  out["findings"] = Json::array();
  for (const explain::Finding& finding : explain::findings_of(verified))
    out["findings"].push_back(json_of(finding, verified.file()));
  out["coverage"] = coverage_json(explain::coverage_of(verified));
  out["ran"] = {{"lanes", verified.outcome.instructions},
                {"warps", verified.outcome.warp_instructions},
                {"seconds", verified.outcome.seconds}};
  return json_text(out);
}

}  // namespace ptxmc::report

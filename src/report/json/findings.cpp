// SPDX-License-Identifier: Apache-2.0
#include "report/json/findings.h"

#include <nlohmann/json.hpp>

#include "litmus/hash.h"
#include "report/json/check.h"
#include "report/json/position.h"
#include "report/witness.h"

namespace ptxmc::report {

namespace {

using Json = nlohmann::ordered_json;

Json place_json(const explain::Place& place) {
  Json out;
  if (place.event) out["event"] = *place.event;
  out["thread"] = place.thread ? Json(*place.thread) : Json(nullptr);
  add_position(out, place.position, place.origin);
  out["text"] = place.text;
  return out;
}

Json finding_json(const explain::Finding& finding) {
  Json out = {{"rule", finding.name}, {"severity", explain::name_of(finding.severity)}};
  if (!finding.certain) out["certain"] = false;
  out["flags"] = finding.flags;
  out["accesses"] = Json::array();
  for (const explain::Place& place : finding.places) out["accesses"].push_back(place_json(place));
  out["missing"] = Json::array();
  for (const explain::Reason& reason : finding.reasons) out["missing"].push_back(reason.name);
  if (!finding.unclassified.empty()) out["unclassified"] = finding.unclassified;
  if (!finding.cause.empty()) {
    std::string why;
    for (const std::string& sentence : finding.cause) why += (why.empty() ? "" : "; ") + sentence;
    out["why"] = why;
  }
  out["advice"] = finding.advice;
  if (finding.awaited) out["awaited"] = {finding.awaited->first, finding.awaited->second};
  return out;
}

Json with_execution(const FindingReport& report, const explain::Finding& finding) {
  Json out = finding_json(finding);
  if (finding.evidence.state == nullptr) return out;
  const Witness witness(report, report.query, *finding.evidence.state);
  out["execution"] = Json::parse(json_witness(witness.outcome(), 0));
  return out;
}

class JsonReporter : public Reporter {
 public:
  std::string print(const FindingReport& report) const override {
    Json out;
    out["test"] = report.test.name;
    out["file"] = report.file;
    out["model"] = report.model;
    out["engine"] = report.engine;
    out["answer"] = report.answer;
    if (!report.unknown.empty()) out["unknown"] = report.unknown;
    if (!report.remark.empty()) out["remark"] = report.remark;
    if (!report.stated.empty())
      out["stated"] = {{"verdict", report.stated}, {"met", report.met ? Json(*report.met) : Json(nullptr)}};
    out["findings"] = Json::array();
    for (const explain::Finding& finding : report.findings)
      out["findings"].push_back(with_execution(report, finding));
    out["seconds"] = report.seconds;
    out["hash"] = litmus::meaning_hash(report.test);
    return out.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  }
};

}  // namespace

std::string json_of(const explain::Finding& finding) {
  return finding_json(finding).dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::unique_ptr<const Reporter> json_reporter() {
  return std::make_unique<const JsonReporter>();
}

}  // namespace ptxmc::report

// SPDX-License-Identifier: Apache-2.0
#include "report/json/findings.h"

#include <nlohmann/json.hpp>

#include "input/litmus/hash.h"
#include "report/json/check.h"
#include "report/json/line.h"
#include "report/witness.h"

namespace ptxmc::report {

namespace {

using Json = nlohmann::ordered_json;

Json place_json(const explain::Place& place, const std::string& file) {
  Json out;
  if (place.event) out["event"] = *place.event;
  out["thread"] = place.thread ? Json(*place.thread) : Json(nullptr);
  add_position(out, file, place.position, place.origin);
  out["text"] = place.text;
  return out;
}

Json finding_json(const explain::Finding& finding, const std::string& file) {
  Json out = {{"rule", finding.name}, {"severity", name_of(finding.severity)}};
  if (!finding.certain) out["certain"] = false;
  if (finding.stated) out["stated"] = true;
  out["flags"] = finding.flags;
  out["places"] = Json::array();
  for (const explain::Place& place : finding.places) out["places"].push_back(place_json(place, file));
  out["missing"] = Json::array();
  for (const explain::Reason& reason : finding.reasons) out["missing"].push_back(reason.name);
  if (!finding.unclassified.empty()) out["unclassified"] = finding.unclassified;
  if (!finding.cause.empty()) {
    std::string why;
    for (const std::string& sentence : finding.cause) why += (why.empty() ? "" : "; ") + sentence;
    out["cause"] = why;
  }
  out["advice"] = finding.advice;
  if (finding.awaited) out["awaited"] = {finding.awaited->first, finding.awaited->second};
  return out;
}

Json with_execution(const FindingReport& report, const explain::Finding& finding) {
  Json out = finding_json(finding, report.file);
  if (finding.evidence.state == nullptr) return out;
  const Witness witness(report, report.query, *finding.evidence.state);
  out["execution"] = execution_json(witness.outcome(), witness.state());
  return out;
}

}  // namespace

nlohmann::ordered_json json_of(const explain::Finding& finding, const std::string& file) {
  return finding_json(finding, file);
}

std::string findings_json(const FindingReport& report) {
  Json out = json_head("races");
  out["test"] = report.test.name;
  out["file"] = report.file;
  out["model"] = report.model;
  out["engine"] = report.engine;
  out["answer"] = report.answer;
  if (!report.unknown.empty()) out["unknown"] = report.unknown;
  if (!report.remark.empty()) out["remark"] = report.remark;
  if (!report.stated.empty())
    out["stated"] = json_stated(report.stated, report.met, report.file, report.stated_at, report.found);
  out["findings"] = Json::array();
  for (const explain::Finding& finding : report.findings)
    out["findings"].push_back(with_execution(report, finding));
  out["seconds"] = report.seconds;
  out["hash"] = litmus::meaning_hash(report.test);
  return json_text(out);
}

}  // namespace ptxmc::report

// SPDX-License-Identifier: Apache-2.0
#include "report/json/findings.h"

#include <nlohmann/json.hpp>

#include "input/litmus/hash.h"
#include "report/json/check.h"
#include "report/json/finding.h"
#include "report/json/line.h"
#include "report/witness.h"

namespace ptxmc::report {

namespace {

using Json = nlohmann::ordered_json;

Json with_execution(const FindingReport& report, const explain::Finding& finding) {
  Json out = json_of(finding, report.file);
  if (finding.evidence.state == nullptr) return out;
  const Witness witness(report, report.query, *finding.evidence.state);
  out["execution"] = execution_json(witness.outcome(), witness.state());
  return out;
}

}  // namespace

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

// SPDX-License-Identifier: Apache-2.0
// Reporters: the findings of a check in one format each.
//
// JSON, one object a test, on one line:
//   test, file, model, engine
//   answer                 "Racy" | "RaceFree" | "Unknown"; a user's flags count as races unless a role says what they
//                          are (model/rules.h)
//   unknown                why, when some answer is open
//   remark                 what was left open besides: whether there is any execution
//   stated                 {verdict, met: true | false | null}, where the file states Racy, RaceFree or a finding
//   findings               [{rule, severity: "error" | "warning" | "note", certain: false (left out: true),
//                            flags: [NAME], accesses: [{event, thread, line, column, source, inlined_at, text}],
//                            missing: [NAME], why: sentence, advice: [sentence], awaited: [write, read],
//                            unclassified, execution: as `check`'s witnesses}]
//   seconds, hash
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "litmus/test.h"
#include "report/finding.h"

namespace ptxmc::report {

/// What is reported of one test. References outlive the report.
struct FindingReport {
  const litmus::Test& test;
  const engine::Query& query;
  std::vector<Finding> findings;
  std::string answer;       ///< "Racy"
  std::string unknown;      ///< why more may be found; may stand beside findings
  std::string remark = {};  ///< what the answer rests on and nobody proved; empty: nothing
  std::string file = {}, model = {}, engine = {};
  std::string stated = {};  ///< the part of the file's verdict that this check judges; empty: none
  std::optional<bool> met = std::nullopt;  ///< of that; nothing: open
  double seconds = 0;
};

class Reporter {
 public:
  virtual ~Reporter() = default;
  virtual std::string print(const FindingReport& report) const = 0;
};

/// "1. data-race: a scope is too narrow", with places, causes, advice and an execution.
std::unique_ptr<const Reporter> text_reporter();
/// A finding as an object of JSON, without its execution.
std::string json_of(const Finding& finding);
/// A line of JSON.
std::unique_ptr<const Reporter> json_reporter();

}  // namespace ptxmc::report

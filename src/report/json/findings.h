// SPDX-License-Identifier: Apache-2.0
// Findings for programs.
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
#include <string>

#include "report/reporter.h"

namespace ptxmc::report {

/// A finding as an object of JSON, without its execution.
std::string json_of(const explain::Finding& finding);
/// A line of JSON.
std::unique_ptr<const Reporter> json_reporter();

}  // namespace ptxmc::report

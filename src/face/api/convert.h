// SPDX-License-Identifier: Apache-2.0
// From what the library finds to what its interface shows.
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "explain/explain.h"
#include "explain/finding.h"
#include "explain/outcome.h"
#include "ptxmc/checker.h"
#include "ptxmc/result.h"
#include "report/finding_report.h"
#include "support/diagnostic.h"

namespace ptxmc::api {

Severity shown(ptxmc::Severity severity);
Diagnostic shown(const ptxmc::Diagnostic& diagnostic);
enum class Pictures : bool { left_out, drawn };

/// The execution of a state with a witness; its picture shows what violates an axiom, where that is told.
Witness witness_of(const explain::Outcome& outcome, const engine::State& state, Pictures pictures,
                   const explain::Violation* violation = nullptr);
/// With the executions, where the findings have some.
std::vector<Finding> shown(const report::FindingReport& report, Pictures pictures);
/// Without a witness.
Finding shown(const explain::Finding& finding);

/// Does the work; what it throws for a text that is refused, or for time that is over, goes into `out`. False: that happened.
bool within(Common& out, const std::stop_token& stop, const std::function<void()>& work);
/// "cancelled" in place of "timeout" where the work was called off.
void name_cancelled(std::string& unknown, const std::stop_token& stop);

}  // namespace ptxmc::api

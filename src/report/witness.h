// SPDX-License-Identifier: Apache-2.0
// A finding's execution, as the printers of `check` take it.
#pragma once

#include "explain/outcome.h"
#include "report/finding_report.h"

namespace ptxmc::report {

class Witness {
 public:
  /// The arguments outlive the witness.
  Witness(const FindingReport& report, const engine::Query& query, const engine::State& state)
      : outcome_{report.test, query,        result_,       judgement_,    flags_,
                 report.file, report.model, report.engine, report.seconds} {
    result_.states.push_back(state);
  }
  Witness(const Witness&) = delete;
  Witness& operator=(const Witness&) = delete;

  const explain::Outcome& outcome() const { return outcome_; }
  const engine::State& state() const { return result_.states.front(); }

 private:
  engine::Result result_;
  const explain::Judgement judgement_;
  const std::vector<explain::FlagOutcome> flags_;
  const explain::Outcome outcome_;
};

}  // namespace ptxmc::report

// SPDX-License-Identifier: Apache-2.0
// The one rule for the status of a check that looks for findings (`races`, `--property liveness`): 1 where a
// stated verdict is not met, or an error was found that the file does not state; 3 where some answer is open.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "explain/finding.h"
#include "face/cli/present.h"
#include "input/litmus/test.h"

namespace ptxmc::cli {

struct Judged {
  /// the part of the file's verdict that the check judges; nothing: none
  std::optional<litmus::Verdict> stated;
  std::optional<bool> met;  ///< of that; nothing: open
  std::string found;        ///< what was found instead, in the words of a verdict
  const std::vector<explain::Finding>& findings;
  std::string unknown;  ///< why the answer is open, for people; empty: it is not
};

/// The first certain finding that fails a run and that the verdict does not state; null: there is none.
const explain::Finding* unstated(const litmus::Verdict* stated, const std::vector<explain::Finding>& findings,
                                 const finding::Selection& selection);

/// Sets status and tally, and says what is wrong. `file` and `model` as the user named them. `whole` is all
/// that the file states for the model, or null.
void judge_findings(const std::string& file, const std::string& model, const litmus::Verdict* whole,
                    const Judged& judged, const finding::Selection& selection, TestReport& report);

}  // namespace ptxmc::cli

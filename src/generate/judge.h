// SPDX-License-Identifier: Apache-2.0
// The verdict of a test, by both engines.
#pragma once

#include <string>
#include <vector>

#include "explain/judgement.h"
#include "session/analysis.h"
#include "support/budget.h"

namespace ptxmc::generate {

struct Judged {
  explain::Answer answer = explain::Answer::unknown;
  std::string why;                    ///< it is unknown
  std::vector<std::string> problems;  ///< the engines disagree, a witness fails its re-check: bugs of ptxmc
};

/// Settings with which both engines decide the condition, under the given model and readings.
session::Settings judging(session::Settings settings);

/// `text` is a test that ptxmc reads: InternalError for one that it does not.
Judged judge(const session::Session& session, const std::string& name, const std::string& text,
             const Budget& budget);

}  // namespace ptxmc::generate

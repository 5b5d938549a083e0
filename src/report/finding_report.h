// SPDX-License-Identifier: Apache-2.0
// What a check found in a test; each format has a function that prints it (text/findings.h, json/findings.h ...).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "explain/finding.h"
#include "input/litmus/test.h"

namespace ptxmc::report {

/// What is reported of one test. References outlive the report.
struct FindingReport {
  const litmus::Test& test;
  const engine::Query& query;
  std::vector<explain::Finding> findings;
  std::string answer;       ///< "Racy"
  std::string unknown;      ///< why more may be found; may stand beside findings
  std::string remark = {};  ///< what the answer rests on without a proof; empty: nothing
  std::string file = {}, model = {}, engine = {};
  std::string stated = {};  ///< the part of the file's verdict that this check judges; empty: none
  Position stated_at = {};
  std::string found = {};                  ///< instead, where that is not met
  std::optional<bool> met = std::nullopt;  ///< of that; nothing: open
  double seconds = 0;
};

}  // namespace ptxmc::report

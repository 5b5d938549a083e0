// SPDX-License-Identifier: Apache-2.0
// Runs as a page for a browser: one file that needs no other. Claim and coverage, findings with their lines, and the
// timeline of each run.
#pragma once

#include <string>
#include <vector>

#include "explain/verify/timeline.h"
#include "explain/verify/verified.h"
#include "report/html/page.h"

namespace ptxmc::report {

/// The findings whose accesses the timeline shows, in the order of their numbers there.
std::vector<trace::Finding> drawn_findings(const explain::Verified& verified);

class VerifyHtml {
 public:
  /// The timeline is of the drawn findings.
  void add(const explain::Verified& verified, const explain::Timeline& timeline);
  std::string print() const { return page_.print(); }

 private:
  Page page_{"verify", "launches"};
  std::size_t count_ = 0;
};

}  // namespace ptxmc::report

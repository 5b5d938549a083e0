// SPDX-License-Identifier: Apache-2.0
// Runs as a page for a browser: one file that needs no other. Claim and coverage, findings with their lines, and the
// timeline of each run.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "dynamic/claim/verify_result.h"
#include "explain/verify/timeline.h"
#include "report/html/page.h"
#include "support/source_files.h"

namespace ptxmc::report {

/// The findings whose accesses the timeline shows, in the order of their numbers there.
std::vector<trace::Finding> drawn_findings(const claim::VerifyResult& verified);

/// A launch, as a page takes it.
struct VerifySection {
  std::string html, note;
  Tone tone = Tone::plain;
};

/// The timeline is of the drawn findings. `number`: of the launch on its page. Quotes lines of `compiled`.
VerifySection verify_section(const claim::VerifyResult& verified, const explain::Timeline& timeline,
                             const std::string& number, SourceFiles& compiled);

class VerifyHtml {
 public:
  void add(const VerifySection& section) { page_.add_section(section.html, section.note, section.tone); }
  void add(const claim::VerifyResult& verified, const explain::Timeline& timeline, SourceFiles& compiled);
  void made_by(std::string command, std::string version) {
    page_.made_by(std::move(command), std::move(version));
  }
  std::string print() const { return page_.print(); }

 private:
  Page page_{"verify", "launches"};
  std::size_t count_ = 0;
};

}  // namespace ptxmc::report

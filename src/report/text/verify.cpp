// SPDX-License-Identifier: Apache-2.0
#include "report/text/verify.h"

#include <fmt/format.h>

#include <algorithm>

#include "dynamic/claim/claim.h"
#include "explain/verify/claim_words.h"
#include "explain/verify/coverage.h"
#include "explain/verify/findings.h"

namespace ptxmc::report {

namespace {

constexpr std::size_t kMostShown = 6;  // of a list

class Text {
 public:
  Text(const claim::VerifyResult& verified, bool quiet) : of_(verified), quiet_(quiet) {}

  std::string run() {
    out_ = fmt::format("Verify {}\n", of_.name);
    for (const explain::VerifyFinding& finding : explain::findings_of(of_)) print(finding);
    claim();
    if (!quiet_) coverage();
    return out_;
  }

 private:
  void print(const explain::VerifyFinding& finding) {
    const char* word = finding.severity == Severity::error     ? "Error"
                       : finding.severity == Severity::warning ? "Warning"
                                                               : "Note";
    out_ += fmt::format("{:<7} {}: {}", word, finding.rule, finding.cause);
    if (!finding.section.empty()) out_ += fmt::format(" ({})", finding.section);
    if (finding.instances > 1) out_ += fmt::format(", {} times", finding.instances);
    out_ += "\n";
    std::size_t shown = 0;
    for (const explain::VerifyPlace& place : finding.places) {
      if (shown++ == kMostShown) {
        out_ += fmt::format("        and {} more\n",
                            explain::plural(finding.places.size() - kMostShown, "place"));
        break;
      }
      print(place);
    }
    if (!finding.pairs.empty() && !finding.pairs.front().bytes.empty())
      out_ +=
          fmt::format("        {}{}\n", finding.pairs.front().bytes,
                      finding.pairs.size() > 1
                          ? fmt::format(", and {} more", explain::plural(finding.pairs.size() - 1, "pair"))
                          : std::string());
    for (const auto& [what, place] : finding.ends)
      out_ += fmt::format("        {} {}: {}\n", what, line_of(place), place.text);
    if (!finding.condition.empty()) out_ += fmt::format("        {}\n", finding.condition);
    if (!finding.advice.empty()) out_ += fmt::format("Fix     {}\n", finding.advice);
    if (finding.exact) out_ += exact(*finding.exact);
  }

  static std::string exact(const claim::ExactAnswer& answer) {
    const std::string file = answer.file.empty() ? "" : fmt::format(" ({})", answer.file);
    if (!answer.races) return fmt::format("Exact   not confirmed: {}{}\n", answer.why, file);
    if (*answer.races) return fmt::format("Exact   confirmed on the litmus test of it{}\n", file);
    return fmt::format("Exact   denied on the litmus test of it{}: a mistake of ptxmc, please report it\n",
                       file);
  }

  void print(const explain::VerifyPlace& place) {
    out_ += fmt::format("        {}: {}", line_of(place), place.text);
    if (!place.access.empty()) out_ += fmt::format(": {}", place.access);
    if (!place.thread.empty())
      out_ += fmt::format("{}{}", place.access.empty() ? ", " : " by ", place.thread);
    if (!place.waits.empty()) out_ += fmt::format(", for {}", place.waits);
    if (place.proxy != isa::Proxy::generic) out_ += fmt::format(", {} proxy", isa::name_of(place.proxy));
    out_ += "\n";
  }

  void claim() {
    const claim::Claim claim = claim_of(of_);
    out_ += "Claim   " + explain::claim_text(of_, claim);
    const std::vector<std::string> open = explain::open_texts(of_, claim);
    if (!open.empty()) out_ += fmt::format(": {}", fmt::join(open, "; "));
    out_ += "\n";
    const std::string varies = explain::schedule_dependent_text(of_, claim);
    if (!varies.empty()) out_ += fmt::format("Varies  {}\n", varies);
  }

  void coverage() {
    const explain::Coverage coverage = explain::coverage_of(of_);
    out_ +=
        fmt::format("Ran     {} of lanes, {} of warps\n",
                    explain::plural(of_.outcome.instructions, "instruction"), of_.outcome.warp_instructions);
    out_ += fmt::format("Coverage {} of {} instructions, {} of {} of synchronization", coverage.executed,
                        coverage.all, coverage.synchronized, coverage.synchronizing);
    for (std::size_t i = 0; i < std::min(coverage.never.size(), kMostShown); ++i)
      out_ += fmt::format("{}{}: {}", i == 0 ? "; never executed: " : ", ", line_of(coverage.never[i]),
                          coverage.never[i].text);
    if (coverage.never.size() > kMostShown)
      out_ += fmt::format(" and {} more", coverage.never.size() - kMostShown);
    out_ += "\n";
  }

  const claim::VerifyResult& of_;
  bool quiet_;
  std::string out_;
};

}  // namespace

std::string verify_text(const claim::VerifyResult& verified, bool quiet) {
  return Text(verified, quiet).run();
}

}  // namespace ptxmc::report

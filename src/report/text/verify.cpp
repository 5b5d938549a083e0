// SPDX-License-Identifier: Apache-2.0
#include "report/text/verify.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <vector>

#include "dynamic/claim/claim.h"
#include "explain/verify/acceptance.h"
#include "explain/verify/claim_words.h"
#include "explain/verify/coverage.h"
#include "explain/verify/findings.h"
#include "report/text/finding.h"

namespace ptxmc::report {

namespace {

constexpr std::size_t kMostShown = 6;  // of a list

class VerifyText {
 public:
  VerifyText(const claim::VerifyResult& verified, bool quiet, SourceFiles& compiled)
      : of_(verified),
        quiet_(quiet),
        compiled_(compiled),
        claim_(claim_of(verified)),
        findings_(explain::findings_of(verified)) {}

  std::string run() {
    if (!findings_.empty()) {
      out_ = fmt::format("{}: {}\n\n", explain::launch_title(of_), counts());
      const Quoted quoted{of_.program->source, compiled_};
      for (const explain::Finding& finding : findings_) out_ += finding_text(finding, quoted) + "\n";
    }
    verdict();
    if (!quiet_) coverage();
    if (!quiet_ && !findings_.empty()) out_ += fmt::format("  more: ptxmc explain {}\n", rules());
    return out_;
  }

 private:
  /// "2 errors, 1 warning"
  std::string counts() const {
    std::vector<std::string> out;
    for (const Severity severity : {Severity::error, Severity::warning, Severity::note}) {
      const auto count =
          std::count_if(findings_.begin(), findings_.end(),
                        [&](const explain::Finding& finding) { return finding.severity == severity; });
      if (count != 0)
        out.push_back(explain::plural(static_cast<std::uint64_t>(count), std::string(name_of(severity))));
    }
    const std::string accepted = explain::accepted_text(findings_);
    return fmt::format("{}{}", fmt::join(out, ", "), accepted.empty() ? "" : " (" + accepted + ")");
  }

  /// The rules of the findings, each once.
  std::string rules() const {
    std::vector<std::string> out;
    for (const explain::Finding& finding : findings_) {
      if (std::find(out.begin(), out.end(), finding.name) == out.end()) out.push_back(finding.name);
    }
    return fmt::format("{}", fmt::join(out, " "));
  }

  void verdict() {
    out_ += explain::launch_title(of_) + ": ";
    if (!findings_.empty()) out_ += fmt::format("{}. Result: ", counts());
    out_ += explain::verdict_text(of_, claim_) + "\n";
    lines("because", explain::proof_texts(of_, claim_));
    lines("assuming", explain::assumption_texts(of_, claim_));
    lines("open", explain::open_texts(of_, claim_));
    lines("fix", closing());
    lines("covers", explain::covered_texts(of_, claim_));
    lines("does not cover", explain::uncovered_texts(of_, claim_));
  }

  /// What would close the claim, each once.
  std::vector<std::string> closing() const {
    std::vector<std::string> out;
    if (claim_.verdict != claim::Verdict::incomplete) return out;
    for (const claim::Open& open : claim_.open) {
      const bool scheduling = open.sources != 0 && (open.sources & bit(exec::Source::data)) == 0;
      if (scheduling) continue;  // which no option settles
      std::string how(explain::closing_text(of_, open));
      if (!how.empty() && std::find(out.begin(), out.end(), how) == out.end()) out.push_back(std::move(how));
    }
    return out;
  }

  void lines(const char* what, const std::vector<std::string>& texts) {
    for (const std::string& text : texts) out_ += fmt::format("  {}: {}\n", what, text);
  }

  void coverage() {
    const explain::Coverage coverage = explain::coverage_of(of_);
    out_ += fmt::format("  executed: {} of {} instructions, {} of {} that synchronize; {}, {}\n",
                        coverage.executed, coverage.all, coverage.synchronized, coverage.synchronizing,
                        explain::plural(of_.outcome.instructions, "thread instruction"),
                        explain::plural(of_.outcome.warp_instructions, "warp instruction"));
    lines("never executed", explain::never_texts(coverage, kMostShown));
  }

  const claim::VerifyResult& of_;
  bool quiet_;
  SourceFiles& compiled_;
  claim::Claim claim_;
  std::vector<explain::Finding> findings_;
  std::string out_;
};

}  // namespace

std::string verify_text(const claim::VerifyResult& verified, bool quiet, SourceFiles& compiled) {
  return VerifyText(verified, quiet, compiled).run();
}

}  // namespace ptxmc::report

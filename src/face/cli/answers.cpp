// SPDX-License-Identifier: Apache-2.0
#include "face/cli/answers.h"

#include <algorithm>
#include <new>

#include "dynamic/claim/claim.h"
#include "explain/verify/findings.h"
#include "support/beyond_limits.h"
#include "support/budget.h"
#include "support/diagnostic.h"

namespace ptxmc::cli {

std::string open_word(const std::exception& error) {
  if (dynamic_cast<const BeyondLimits*>(&error) != nullptr) return "too-large";
  if (dynamic_cast<const OutOfTime*>(&error) != nullptr) return "timeout";
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) return "memory";
  return "";
}

Answer answer_of(const std::exception& error) {
  if (!open_word(error).empty()) return Answer::unknown;
  return dynamic_cast<const InputError*>(&error) != nullptr ? Answer::refused : Answer::internal;
}

Answer answer_of(const repair::Repairs& repairs) {
  if (!repairs.before.problems.empty() || !repairs.problems.empty()) return Answer::internal;
  if (repairs.wanted.nothing()) return repairs.before.decided() ? Answer::as_stated : Answer::unknown;
  if (repairs.before.has(repairs.wanted)) return Answer::as_stated;
  if (repairs.out_of_time) return Answer::unknown;
  if (!repairs.repairs.empty())
    return Answer::as_stated;  // each is proven, whatever was left open beside them
  return repairs.open ? Answer::unknown : Answer::unmet;
}

Answer answer_of(const repair::RepairedKernel& repaired) {
  const bool left = std::any_of(repaired.findings.begin(), repaired.findings.end(),
                                [](const repair::KernelRepairs& found) { return found.taken() == nullptr; });
  const bool whole = repaired.clean && repaired.verdict == claim::Verdict::proven;
  return left || repaired.out_of_time || !whole ? Answer::unknown : Answer::as_stated;
}

Answer answer_of(const repair::Weakened& weakened) {
  if (!weakened.before.problems.empty() || !weakened.proof.problems.empty()) return Answer::internal;
  if (weakened.before.undefined) return Answer::finding;
  const bool open = weakened.open || weakened.out_of_time || !weakened.before.decided();
  return open ? Answer::unknown : Answer::as_stated;
}

Answer answer_of(const session::Explained& explained) {
  const session::Analysis& analysis = *explained.analysis;
  if (!analysis.problems.empty()) return Answer::internal;
  const bool open =
      analysis.judgement.answer == explain::Answer::unknown && analysis.vacuity == explain::Vacuity::none;
  const auto& axioms = explained.explanation.axioms;
  const bool unseen = std::any_of(axioms.begin(), axioms.end(), [](const explain::Violation& violation) {
    return !violation.state && violation.shape != explain::Shape::absent;  // not found in time
  });
  const bool unexplained = unseen || explained.explanation.kind == explain::Explanation::Kind::unknown;
  return open || unexplained ? Answer::unknown : Answer::as_stated;
}

Answer answer_of(const observed::Comparison& comparison) {
  using observed::Standing;
  if (comparison.rows_of(Standing::forbidden) != 0) return Answer::finding;
  if (comparison.rows_of(Standing::open) != 0) return Answer::unknown;
  if (comparison.other.empty()) return comparison.observed == 0 ? Answer::unknown : Answer::as_stated;
  const bool whole = comparison.unknown.empty() && comparison.other_unknown.empty();
  const bool alike =
      comparison.rows_of(Standing::unseen) == 0 && comparison.undefined == comparison.other_undefined;
  if (!alike) return Answer::unmet;
  return whole ? Answer::as_stated : Answer::unknown;
}

Answer answer_of(const claim::VerifyResult& verified, const finding::Selection& selection) {
  const std::vector<explain::Finding> findings = explain::findings_of(verified);
  const bool found = std::any_of(findings.begin(), findings.end(), [&](const explain::Finding& finding) {
    return !finding.accepted.accepted() && selection.fails(finding.name, finding.severity);
  });
  if (found) return Answer::finding;
  switch (claim::verdict_of(verified)) {
    case claim::Verdict::violated:  // its severity does not count
      break;
    case claim::Verdict::incomplete:
      return verified.outcome.end == exec::End::stopped ? Answer::unknown : Answer::incomplete;
    case claim::Verdict::waived:
    case claim::Verdict::proven:
      break;
  }
  return Answer::as_stated;
}

}  // namespace ptxmc::cli

// SPDX-License-Identifier: Apache-2.0
#include "repair/kernel/kernel.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "dynamic/claim/claim.h"
#include "explain/verify/claim_words.h"
#include "finding/rules.h"
#include "input/litmus/parse.h"
#include "repair/kernel/candidates.h"
#include "repair/kernel/keys.h"
#include "repair/kernel/proof.h"
#include "repair/repair.h"
#include "support/diagnostic.h"

namespace ptxmc::repair {

namespace {

constexpr std::size_t kMostTried = 160;   // candidates of a finding
constexpr std::size_t kMostFindings = 8;  // one after the other
constexpr std::size_t kMostOfTest = 24;   // repairs of the extracted test
constexpr double kMostSecondsOfTest = 4;

class Search {
 public:
  Search(const KernelAsked& asked, const KernelRun& now, std::string module)
      : asked_(asked),
        now_(now),
        module_(std::move(module)),
        verified_(now.verification->verified),
        proofs_(asked, now, module_) {}

  KernelRepairs run(const explain::Finding& finding) {
    KernelRepairs out;
    out.finding = finding;
    const std::vector<KernelCandidate> all = candidates_of(finding, out);
    out.of = all.size();
    for (const KernelCandidate& candidate : all) {
      if (is_enough(out) || out.tried == kMostTried || asked_.budget.over()) {
        out.cut = true;
        break;
      }
      if (candidate.what.size() > asked_.changes || has_known_part(candidate)) continue;
      ++out.tried;
      if (auto repair = proofs_.of(candidate, finding)) {
        if (repair->holds_elsewhere()) good_.push_back(candidate.edits);
        out.repairs.push_back(std::move(*repair));
      }
    }
    std::stable_sort(out.repairs.begin(), out.repairs.end(), [](const auto& a, const auto& b) {
      return std::pair(!a.orders, !a.holds_elsewhere()) < std::pair(!b.orders, !b.holds_elsewhere());
    });
    if (asked_.repairs != 0 && out.repairs.size() > asked_.repairs)
      out.repairs.erase(out.repairs.begin() + static_cast<std::ptrdiff_t>(asked_.repairs), out.repairs.end());
    return out;
  }

 private:
  std::vector<KernelCandidate> candidates_of(const explain::Finding& finding, KernelRepairs& out) const {
    if (!finding.number) return candidates({verified_, nullptr, nullptr, module_, costs()}, {});
    const trace::Finding& found = verified_.findings[*finding.number];
    const session::Confirmed confirmed = extract(finding, found);
    return candidates({verified_, &found, &confirmed, module_, costs()}, of_test(confirmed, out));
  }

  /// So many repairs as are wanted hold on the other launches, too.
  bool is_enough(const KernelRepairs& so_far) const {
    const auto good = std::count_if(so_far.repairs.begin(), so_far.repairs.end(),
                                    [](const KernelRepair& repair) { return repair.holds_elsewhere(); });
    return asked_.repairs != 0 && static_cast<std::size_t>(good) >= asked_.repairs;
  }

  const Costs& costs() const { return asked_.costs != nullptr ? *asked_.costs : Costs::shipped(); }

  session::Confirmed extract(const explain::Finding& finding, const trace::Finding& found) const {
    if (!finding::is_race(found.rule)) return {{}, "it is no race", {}, {}, {}};
    const session::Session session(asked_.exact);
    const session::Verification& verification = *now_.verification;
    const std::size_t run =
        *finding.number < verification.runs.shown_by.size() ? verification.runs.shown_by[*finding.number] : 0;
    const session::Ran ran{now_.task->test, now_.task->inner_maps, verification.runs.options[run]};
    return session::Confirmer(session, ran, {&found, 1}).ask(found, "finding");
  }

  /// Repairs of the extracted test: of two weak accesses first those that leave them as they are, and so order them.
  std::vector<Repair> of_test(const session::Confirmed& confirmed, KernelRepairs& out) const {
    if (confirmed.test.empty()) {
      out.test = confirmed.why;
      return {};
    }
    std::vector<Repair> all;
    try {
      const session::Session session(asked_.exact);
      const auto source = std::make_shared<const Source>(Source{"finding", confirmed.test});
      const litmus::Test test = litmus::parse(source);
      repair::Asked asked;
      asked.wanted = Wanted{};
      asked.wanted->race_free = true;
      asked.changes = std::min<std::size_t>(asked_.changes, 2);
      asked.repairs = kMostOfTest;
      asked.costs = &costs();
      asked.of_kernel = true;
      for (const std::vector<std::uint32_t>& kept : {confirmed.lines, std::vector<std::uint32_t>{}}) {
        asked.kept = kept;
        asked.budget = asked_.budget.at_most(kMostSecondsOfTest);
        Repairs repairs = find_repairs(session, test, asked);
        std::move(repairs.repairs.begin(), repairs.repairs.end(), std::back_inserter(all));
      }
      if (all.empty()) out.test = "its test has no repair";
    } catch (const InputError& error) {
      out.test = error.diagnostics().empty() ? error.what() : error.diagnostics().front().message;
    } catch (const OutOfTime&) {
      out.test = "its test takes too long";
    }
    return all;
  }

  /// No part of a repair would do.
  bool has_known_part(const KernelCandidate& candidate) const {
    return std::any_of(good_.begin(), good_.end(), [&](const std::vector<Edit>& known) {
      return std::all_of(known.begin(), known.end(), [&](const Edit& edit) {
        return std::find(candidate.edits.begin(), candidate.edits.end(), edit) != candidate.edits.end();
      });
    });
  }

  const KernelAsked& asked_;
  const KernelRun& now_;
  const ModuleText module_;
  const claim::VerifyResult& verified_;
  Proofs proofs_;
  std::vector<std::vector<Edit>> good_;
};

/// The first that is to go: an error, or a warning where there is no error.
const explain::Finding* first_wrong(const std::vector<explain::Finding>& findings, Severity least,
                                    const FindingKeys& given_up) {
  const auto found = std::find_if(findings.begin(), findings.end(), [&](const auto& finding) {
    const FindingKeys keys = keys_of(finding, same_line);
    return finding.severity >= least &&
           !std::includes(given_up.begin(), given_up.end(), keys.begin(), keys.end());
  });
  return found == findings.end() ? nullptr : &*found;
}

}  // namespace

RepairedKernel repair_kernel(const std::string& module, const KernelAsked& asked) {
  RepairedKernel out;
  out.before = out.after = module;
  KernelRun now = asked.verify(module);
  std::vector<explain::Finding> findings = explain::findings_of(now.verification->verified);
  const auto is_error = [](const auto& finding) { return finding.severity == Severity::error; };
  const bool errors = std::any_of(findings.begin(), findings.end(), is_error);
  FindingKeys given_up;  // without a repair, by lines of `after`
  while (out.findings.size() < kMostFindings) {
    const explain::Finding* wrong =
        first_wrong(findings, errors ? Severity::error : Severity::warning, given_up);
    if (wrong == nullptr) break;
    out.findings.push_back(Search(asked, now, out.after).run(*wrong));
    const KernelRepairs& last = out.findings.back();
    if (last.taken() == nullptr) {
      given_up.merge(keys_of(*wrong, same_line));
    } else {
      if (!given_up.empty()) break;  // their lines are no longer known
      out.after = last.taken()->text;
      now = asked.verify(out.after);
      findings = explain::findings_of(now.verification->verified);
    }
    if (asked.budget.over()) {
      out.out_of_time = true;
      break;
    }
  }
  out.clean = ended(now.verification->verified) && std::none_of(findings.begin(), findings.end(), is_error) &&
              (errors || first_wrong(findings, Severity::warning, {}) == nullptr);
  const claim::VerifyResult& verified = now.verification->verified;
  const claim::Claim claim = claim::claim_of(verified);
  out.verdict = claim.verdict;
  out.claim = explain::claim_text(verified, claim);
  out.open = explain::open_texts(verified, claim);
  return out;
}

}  // namespace ptxmc::repair

// SPDX-License-Identifier: Apache-2.0
#include "session/verify_runs.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "finding/rules.h"
#include "trace/detector.h"

namespace ptxmc::session {

bool may_be_equal(const explain::Verified& verified) {
  constexpr std::uint64_t kLong = 20'000'000;  // instructions: following terms takes time and memory
  const auto stores = [](const trace::Place& place) {
    return place.effect == trace::Effect::write && !place.operation;
  };
  return verified.outcome.instructions <= kLong &&
         std::any_of(verified.findings.begin(), verified.findings.end(), [&](const trace::Finding& finding) {
           return finding::is_race(finding.rule) && finding.rule != finding::RuleId::equal_bytes &&
                  stores(finding.first) && stores(finding.second);
         });
}

bool are_equal(const std::vector<trace::Finding>& findings) {
  return std::any_of(findings.begin(), findings.end(), [](const trace::Finding& finding) {
    return finding.rule == finding::RuleId::equal_bytes;
  });
}

explain::Verified run_otherwise(const Subject& subject, kernel::Options& options) {
  trace::Detector detector(subject.detection(options));
  kernel::Run run(subject.test, &detector, subject.inner_maps);
  explain::Verified out;
  out.outcome = run.run(options);
  out.findings = detector.findings();
  out.forgot_equal = detector.forgot_equal();
  const bool terms = !options.terms && may_be_equal(out);
  const bool exact_values = !options.exact_values && are_equal(out.findings);
  if (!terms && !exact_values) return out;
  options.terms = options.terms || terms;
  options.exact_values = options.exact_values || exact_values;
  return run_otherwise(subject, options);
}

void add_run(const explain::Verified& shown, kernel::Options options, explain::Verified& verified,
             Runs& runs) {
  const std::size_t number = runs.options.size();
  runs.options.push_back(std::move(options));
  for (const trace::Finding& finding : shown.findings) {
    const auto same = [&](const trace::Finding& other) {
      return std::tie(finding.rule, finding.first.site, finding.second.site) ==
             std::tie(other.rule, other.first.site, other.second.site);
    };
    const auto known = std::find_if(verified.findings.begin(), verified.findings.end(), same);
    if (known != verified.findings.end()) {
      if (known->elected && !finding.elected) {  // it does not take another lane than the lowest
        *known = finding;
        runs.shown_by[static_cast<std::size_t>(known - verified.findings.begin())] = number;
      }
      continue;
    }
    verified.findings.push_back(finding);
    runs.shown_by.push_back(number);
  }
  verified.forgot_equal = verified.forgot_equal || shown.forgot_equal;
  kernel::Outcome& all = verified.outcome;
  const kernel::Outcome& one = shown.outcome;
  for (const kernel::Fault& fault : one.faults) {
    const auto same = [&](const kernel::Fault& other) {
      return other.kind == fault.kind && other.site == fault.site && other.guessed == fault.guessed;
    };
    const auto known = std::find_if(all.faults.begin(), all.faults.end(), same);
    if (known == all.faults.end()) {
      all.faults.push_back(fault);
    } else if (!fault.elected) {
      known->elected.reset();
    }
  }
  if (all.end == kernel::End::finished && one.end == kernel::End::deadlock) {
    all.end = one.end;
    all.waiting = one.waiting;
  }
  all.varies.insert(one.varies.begin(), one.varies.end());
  for (std::size_t site = 0; site < all.executed.size(); ++site)
    all.executed[site] = std::max(all.executed[site], one.executed[site]);
}

}  // namespace ptxmc::session

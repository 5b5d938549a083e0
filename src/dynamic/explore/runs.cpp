// SPDX-License-Identifier: Apache-2.0
#include "dynamic/explore/runs.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "finding/rules.h"
#include "support/check.h"

namespace ptxmc::explore {

bool may_be_equal(const claim::VerifyResult& verified) {
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

OtherRun run_otherwise(const VerificationTask& task, exec::Options& options) {
  OtherRun out;
  out.detector = std::make_unique<trace::Detector>(task.detection(options));
  exec::Run run(task.test, out.detector.get(), task.inner_maps);
  out.verified.outcome = run.run(options);
  out.verified.findings = out.detector->findings();
  out.verified.left_open = out.detector->left_open();
  const bool terms = !options.terms && may_be_equal(out.verified);
  const bool exact_values = !options.exact_values && are_equal(out.verified.findings);
  if (!terms && !exact_values) return out;
  options.terms = options.terms || terms;
  options.exact_values = options.exact_values || exact_values;
  return run_otherwise(task, options);
}

namespace {

void add_findings(const claim::VerifyResult& shown, const Runs& of, std::size_t first,
                  claim::VerifyResult& verified, Runs& runs) {
  for (std::size_t i = 0; i < shown.findings.size(); ++i) {
    const trace::Finding& finding = shown.findings[i];
    const std::size_t number = first + of.shown_by[i];
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
    if (const auto passed = shown.passed.find(i); passed != shown.passed.end())
      verified.passed[verified.findings.size()] = passed->second;
    verified.findings.push_back(finding);
    runs.shown_by.push_back(number);
  }
}

void add_outcome(const exec::Outcome& one, exec::Outcome& all) {
  for (const exec::Fault& fault : one.faults) {
    const auto same = [&](const exec::Fault& other) {
      return other.rule == fault.rule && other.site == fault.site && other.guessed == fault.guessed;
    };
    const auto known = std::find_if(all.faults.begin(), all.faults.end(), same);
    if (known == all.faults.end()) {
      all.faults.push_back(fault);
    } else if (!fault.elected) {
      known->elected.reset();
    }
  }
  if (all.end == exec::End::finished && one.end == exec::End::deadlock) {
    all.end = one.end;
    all.waiting = one.waiting;
  }
  for (const auto sites : {&exec::Outcome::apart, &exec::Outcome::ranks, &exec::Outcome::own_lanes,
                           &exec::Outcome::pools, &exec::Outcome::remainders, &exec::Outcome::products,
                           &exec::Outcome::metadata, &exec::Outcome::global_waits, &exec::Outcome::avoided,
                           &exec::Outcome::valid_targets, &exec::Outcome::varies, &exec::Outcome::both_sides})
    (all.*sites).insert((one.*sites).begin(), (one.*sites).end());
  PTXMC_CHECK(all.executed.size() == one.executed.size(), "runs that are put together are of one program");
  for (std::size_t site = 0; site < all.executed.size(); ++site)
    all.executed[site] = std::max(all.executed[site], one.executed[site]);
}

}  // namespace

void add_runs(const claim::VerifyResult& shown, Runs of, claim::VerifyResult& verified, Runs& runs) {
  const std::size_t first = runs.options.size();
  for (exec::Options& options : of.options) runs.options.push_back(std::move(options));
  runs.ordered = runs.ordered && of.ordered;
  runs.polls_read_data = runs.polls_read_data || of.polls_read_data;
  add_findings(shown, of, first, verified, runs);
  add_outcome(shown.outcome, verified.outcome);
  verified.left_open.add(shown.left_open);
}

void add_run(const claim::VerifyResult& shown, exec::Options options, claim::VerifyResult& verified,
             Runs& runs) {
  Runs one;
  one.options.push_back(std::move(options));
  one.shown_by.assign(shown.findings.size(), 0);
  add_runs(shown, std::move(one), verified, runs);
}

}  // namespace ptxmc::explore

// SPDX-License-Identifier: Apache-2.0
#include "cli/verify_mutants.h"

#include <fmt/format.h>

#include <utility>

#include "cli/interrupt.h"
#include "trace/detector.h"

namespace ptxmc::cli {

namespace {

using kernel::Change;
using Changes = std::vector<std::pair<trace::Site, Change>>;

class Mutating {
 public:
  Mutating(const session::Subject& subject, const explain::Verified& verified, const kernel::Options& limits)
      : subject_(subject), verified_(verified), limits_(limits), baseline_(verified) {}

  std::vector<explain::Mutant> run() {
    for (trace::Site site = 0; site < verified_.run->sites(); ++site) {
      if (verified_.outcome.executed[site] == 0) continue;
      for (const Change change : kernel::changes_of(verified_.run->instruction(site))) {
        if (interrupted()) return std::move(mutants_);
        changes_.emplace_back(site, change);
        mutants_.push_back(
            {explain::place_of(verified_, site), change, found_without({changes_.back()}), {}});
      }
    }
    for (std::size_t i = 0; i < mutants_.size(); ++i) {
      if (mutants_[i].caught.empty() && !interrupted()) mutants_[i].because = reason(i);
    }
    return std::move(mutants_);
  }

 private:
  /// What is found with these changes and was not before; empty: nothing.
  std::string found_without(const Changes& changes) const {
    trace::Detector detector(subject_.detection());
    kernel::Run run(subject_.test, &detector, subject_.inner_maps);
    for (const auto& [site, change] : changes) run.change(site, change);
    explain::Verified changed = verified_;
    changed.run = &run;
    changed.outcome = run.run(limits_);
    changed.findings = detector.findings();
    return baseline_.beyond(changed);
  }

  /// Those that are left out already, and this one: if nothing is found then, nothing rests on any of them. Else some of
  /// them stand for it: one, if it is not far.
  std::string reason(std::size_t mutant) {
    constexpr std::size_t kAsked = 4;
    Changes trial;
    for (const std::size_t other : needless_) {
      if (changes_[other].first != changes_[mutant].first) trial.push_back(changes_[other]);
    }
    const std::size_t others = trial.size();
    trial.push_back(changes_[mutant]);
    const std::string found = found_without(trial);
    if (found.empty()) {
      if (changes_[mutant].second == Change::leave_out) needless_.push_back(mutant);
      return others == 0 ? "nothing rests on it"
                         : fmt::format("nothing rests on it, nor on {} before it", others);
    }
    std::size_t asked = 0;
    for (auto other = needless_.rbegin(); other != needless_.rend() && asked < kAsked; ++other, ++asked) {
      if (const std::string both = found_without({changes_[*other], changes_[mutant]}); !both.empty())
        return fmt::format("{} stands for it: {} without both", explain::line_of(mutants_[*other].place),
                           both);
    }
    return fmt::format("some of {} before it stand for it: {} without all of them", others, found);
  }

  const session::Subject& subject_;
  const explain::Verified& verified_;
  const kernel::Options& limits_;
  explain::Baseline baseline_;
  std::vector<explain::Mutant> mutants_;
  Changes changes_;                    // of the mutants
  std::vector<std::size_t> needless_;  // mutants: without all of these nothing is found
};

}  // namespace

std::vector<explain::Mutant> run_mutants(const session::Subject& subject, const explain::Verified& verified,
                                         kernel::Options limits) {
  constexpr std::uint64_t kLonger = 8, kSteps = 1'000'000;  // than the run itself
  limits.steps = verified.outcome.instructions * kLonger + kSteps;
  return Mutating(subject, verified, limits).run();
}

}  // namespace ptxmc::cli

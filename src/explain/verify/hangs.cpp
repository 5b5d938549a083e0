// SPDX-License-Identifier: Apache-2.0
#include "explain/verify/hangs.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "explain/verify/findings.h"
#include "finding/rules.h"

namespace ptxmc::explain {

namespace {

class HangWords {
 public:
  HangWords(const claim::VerifyResult& of, const std::vector<exec::Waiting>& all) : of_(of), all_(all) {}

  void run(Finding& out) {
    for (const exec::Waiting& waiting : all_) {
      if (waiting.barrier && barriers_.emplace(waiting.barrier->cta, waiting.barrier->id).second)
        barrier(*waiting.barrier);
      if (waiting.phase) phase(*waiting.phase);
    }
    const bool only_polls = std::all_of(all_.begin(), all_.end(),
                                        [](const exec::Waiting& one) { return one.polls && !one.phase; });
    if (only_polls)
      advise(
          "let a thread that is not blocked itself write what the loop waits for, or let the loop end without it");
    constexpr std::size_t kMost = 3;
    causes_.resize(std::min(causes_.size(), kMost));
    advice_.resize(std::min(advice_.size(), kMost));
    out.cause.insert(out.cause.end(), causes_.begin(), causes_.end());
    if (!section_.empty()) out.section = section_;
    if (!out.advice.empty()) return;
    out.advice = std::move(advice_);
    if (out.advice.empty()) out.advice.emplace_back(finding::rule(finding::RuleId::hang).fix);
  }

 private:
  /// The section stands behind the first cause, and is the one of that.
  void tell(std::string cause, std::string_view section) {
    if (causes_.empty()) section_ = section;
    causes_.push_back(std::move(cause));
  }

  void advise(std::string what) {
    if (std::find(advice_.begin(), advice_.end(), what) == advice_.end()) advice_.push_back(std::move(what));
  }

  /// "block 0, thread 32 and 31 more wait at k.cu:12", for each place where some of them wait.
  std::string whereabouts(const std::vector<trace::Thread>& missing) const {
    constexpr std::size_t kMostPlaces = 3;
    std::string out;
    std::size_t told = 0, places = 0;
    for (const exec::Waiting& waiting : all_) {
      std::vector<trace::Thread> here;
      std::set_intersection(missing.begin(), missing.end(), waiting.threads.begin(), waiting.threads.end(),
                            std::back_inserter(here));
      if (here.empty() || places++ == kMostPlaces) continue;
      told += here.size();
      const Place place = place_of(of_, waiting.site, here.front());
      out += fmt::format("; {}{} at {} instead", place.who,
                         here.size() == 1 ? " waits" : fmt::format(" and {} more wait", here.size() - 1),
                         line_of(place));
    }
    if (told < missing.size()) out += fmt::format("; {} elsewhere", plural(missing.size() - told, "thread"));
    return out;
  }

  void barrier(const exec::UnmetBarrier& at) {
    const std::uint64_t wanted = at.count != 0 ? at.count : at.arrived + at.missing.size();
    std::string text =
        fmt::format("{} of {} arrived at barrier {}", at.arrived, plural(wanted, "thread"), at.id);
    text += whereabouts(at.missing);
    if (at.exited != 0) text += fmt::format("; {} exited without an arrival", plural(at.exited, "thread"));
    if (at.missing.empty() && at.exited == 0) text += "; the block has no other threads";
    tell(std::move(text), "9.7.12.1");
    if (!at.missing.empty()) {
      advise(fmt::format(
          "move the barrier to where all {} arrive, or let it count only those that do (CUDA: __syncthreads() outside of "
          "branches that split the block; PTX: bar.sync {} with a count)",
          plural(wanted, "thread"), at.id));
    } else if (at.exited != 0) {
      advise(fmt::format(
          "let the threads that exit arrive first (PTX: bar.arrive {}, {}), or correct the count of "
          "the barrier",
          at.id, wanted));
    } else {
      advise(
          fmt::format("correct the count of the barrier, or launch {} in a block", plural(wanted, "thread")));
    }
  }

  void phase(const exec::UnmetPhase& at) {
    const std::string complete = at.phase == 0   ? "no phase is complete"
                                 : at.phase == 1 ? "phase 0 is complete"
                                                 : fmt::format("phases 0 to {} are complete", at.phase - 1);
    const std::string waited = at.parity ? fmt::format("parity {} waits for phase {}", *at.parity, at.phase)
                                         : fmt::format("the state is that of phase {}", at.phase);
    const bool untouched = at.pending == at.expected && at.transactions == 0;
    tell(fmt::format("{}; {}{}", complete, waited, untouched ? ", which has had no arrival" : ""),
         "9.7.12.15.6");
    if (untouched && at.phase != 0 && at.parity)
      advise(fmt::format("wait for parity {} if phase {} is meant, or let phase {} have its {}",
                         1 - *at.parity, at.phase - 1, at.phase, plural(at.expected, "arrival")));
    else if (at.pending != 0)
      advise(fmt::format("add {} in phase {}, or correct the count of mbarrier.init",
                         plural(at.pending, "arrival"), at.phase));
    else
      advise("let expect_tx announce as many bytes as the copies of the phase bring");
  }

  const claim::VerifyResult& of_;
  const std::vector<exec::Waiting>& all_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> barriers_;
  std::vector<std::string> causes_, advice_;
  std::string section_;
};

}  // namespace

void explain_hang(const claim::VerifyResult& of, const std::vector<exec::Waiting>& all, Finding& out) {
  HangWords(of, all).run(out);
}

}  // namespace ptxmc::explain

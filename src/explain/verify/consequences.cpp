// SPDX-License-Identifier: Apache-2.0
#include "explain/verify/consequences.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "finding/rules.h"

namespace ptxmc::explain {

namespace {

using finding::RuleId;

class Causes {
 public:
  Causes(const claim::VerifyResult& of, std::vector<GroupedFinding>& all)
      : of_(of), all_(all), cause_(all.size()) {}

  std::vector<Finding> run() {
    for (std::size_t i = 0; i < all_.size(); ++i) find_cause(i);
    const std::vector<std::optional<std::size_t>> found = cause_;
    for (const auto& cause : found) {
      if (cause) find_others_at_wait(*cause);
    }
    for (std::size_t i = 0; i < all_.size(); ++i) raise(i);
    std::vector<std::size_t> order(all_.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return all_[a].finding.severity > all_[b].finding.severity;
    });
    for (const std::size_t i : order) {
      if (!cause_[i]) put(i, order, std::nullopt);
    }
    return std::move(out_);
  }

 private:
  using Traces = std::vector<const trace::Finding*>;

  Traces traces_of(std::size_t number) const {
    Traces out;
    for (const std::size_t i : all_[number].group) out.push_back(&of_.findings[i]);
    return out;
  }

  /// Each thread that the deadlock holds polls what the loop may have missed.
  bool is_deadlock_of(const Traces& lost, const Finding& effect) const {
    const std::vector<exec::Waiting>& waiting = of_.outcome.waiting;
    if (effect.rule->id != RuleId::hang || !effect.condition.empty() || lost.empty() || waiting.empty())
      return false;
    return std::all_of(waiting.begin(), waiting.end(), [&](const exec::Waiting& one) {
      return std::any_of(lost.begin(), lost.end(), [&](const trace::Finding* of) {
        return of->rule == RuleId::hang && one.at && of->first.site == one.site &&
               *one.at - of->bytes.begin < of->bytes.bytes;
      });
    });
  }

  /// What nothing waits for before another access, nothing waits for before the exit.
  static bool is_exit_of(const Traces& races, const Traces& exits) {
    return !exits.empty() && std::all_of(exits.begin(), exits.end(), [&](const trace::Finding* exit) {
      const bool is_exit = exit->rule == RuleId::exit_in_flight || exit->rule == RuleId::exit_in_flight_read;
      return is_exit && std::any_of(races.begin(), races.end(), [&](const trace::Finding* race) {
               return finding::is_race(race->rule) && race->cause.missing == trace::Missing::wait &&
                      race->first.operation && race->first.site == exit->first.site;
             });
    });
  }

  /// The thread of the second access waits for the object, but for a phase that is over, in place of that of the first access.
  static bool is_race_after(const Traces& waits, const Traces& races) {
    if (races.empty() || !finding::is_race(races.front()->rule) || !races.front()->phase) return false;
    const trace::Finding& race = *races.front();
    return std::any_of(waits.begin(), waits.end(), [&](const trace::Finding* wait) {
      return wait->rule == RuleId::stale_poll && wait->phase == race.phase &&
             wait->second.thread == race.second.thread;
    });
  }

  /// The accesses of a flag race, as the scope of one leaves the other out, and they are the ends by which the effect is told.
  static bool is_told_by(const Traces& flags, const Traces& told) {
    return !told.empty() && std::all_of(told.begin(), told.end(), [&](const trace::Finding* one) {
      const trace::Cause& cause = one->cause;
      return cause.missing == trace::Missing::scope && cause.release && cause.acquire &&
             std::any_of(flags.begin(), flags.end(), [&](const trace::Finding* flag) {
               return flag->cause.missing == trace::Missing::mutual_scope &&
                      std::minmax(flag->first.site, flag->second.site) ==
                          std::minmax(*cause.release, *cause.acquire);
             });
    });
  }

  /// All that the deadlock holds are blocked in the wait, which was for a phase that was over when other threads came, or at a barrier.
  bool is_deadlock_after(const Traces& waits, const Finding& effect) const {
    const std::vector<exec::Waiting>& waiting = of_.outcome.waiting;
    if (effect.rule->id != RuleId::hang || !effect.condition.empty() || waits.empty()) return false;
    const auto is_in_wait = [&](const exec::Waiting& one) {
      return std::any_of(waits.begin(), waits.end(), [&](const trace::Finding* wait) {
        return wait->rule == RuleId::stale_poll && wait->second.site == one.site;
      });
    };
    return std::any_of(waiting.begin(), waiting.end(), is_in_wait) &&
           std::all_of(waiting.begin(), waiting.end(),
                       [&](const exec::Waiting& one) { return one.barrier || is_in_wait(one); });
  }

  void find_cause(std::size_t effect) {
    const Traces own = traces_of(effect);
    for (std::size_t i = 0; i < all_.size() && !cause_[effect]; ++i) {
      const Traces others = traces_of(i);
      const bool follows =
          i != effect && ((own.empty() && (is_deadlock_of(others, all_[effect].finding) ||
                                           is_deadlock_after(others, all_[effect].finding))) ||
                          is_exit_of(others, own) || is_race_after(others, own) || is_told_by(others, own));
      if (follows) cause_[effect] = i;
    }
  }

  /// A wait for the wrong phase: threads may also be blocked forever in it, and miss the phase that it is for.
  void find_others_at_wait(std::size_t cause) {
    const Traces waits = traces_of(cause);
    const auto is_at = [&](trace::Site site, const std::vector<trace::Thread>& threads) {
      return std::any_of(waits.begin(), waits.end(), [&](const trace::Finding* wait) {
        return wait->rule == RuleId::stale_poll && wait->second.site == site &&
               std::find(threads.begin(), threads.end(), wait->second.thread) != threads.end();
      });
    };
    for (std::size_t i = 0; i < all_.size(); ++i) {
      if (i == cause || cause_[i]) continue;
      const Traces own = traces_of(i);
      const bool overtaken =
          !own.empty() && std::all_of(own.begin(), own.end(), [&](const trace::Finding* one) {
            return one->rule == RuleId::wait_overtaken && is_at(one->first.site, {one->first.thread});
          });
      const std::vector<exec::Waiting>& waiting = of_.outcome.waiting;
      const Finding& finding = all_[i].finding;
      const bool blocked =
          own.empty() && finding.rule->id == RuleId::hang && finding.condition.empty() && !waiting.empty() &&
          std::all_of(waiting.begin(), waiting.end(),
                      [&](const exec::Waiting& one) { return is_at(one.site, one.threads); });
      if (overtaken || blocked) cause_[i] = cause;
    }
  }

  void raise(std::size_t effect) {
    const Severity severity = all_[effect].finding.severity;
    for (auto cause = cause_[effect]; cause; cause = cause_[*cause])
      all_[*cause].finding.severity = std::max(all_[*cause].finding.severity, severity);
  }

  /// And what follows from it.
  void put(std::size_t number, const std::vector<std::size_t>& order, std::optional<std::size_t> cause) {
    Finding& finding = all_[number].finding;
    finding.id = out_.size() + 1;
    if (cause) {
      finding.consequence_of = out_[*cause].id;
      finding.depth = out_[*cause].depth + 1;
      finding.follows_from = fmt::format("{} [{}]", title_of(out_[*cause]), out_[*cause].name);
    }
    if (cause && all_[number].group.empty() && finding.rule->id == RuleId::hang) finding.advice.clear();
    const std::size_t own = out_.size();
    out_.push_back(std::move(finding));
    for (const std::size_t i : order) {
      if (cause_[i] == number) put(i, order, own);
    }
  }

  const claim::VerifyResult& of_;
  std::vector<GroupedFinding>& all_;
  std::vector<std::optional<std::size_t>> cause_;  // of each: a number of all_
  std::vector<Finding> out_;
};

}  // namespace

void drop_equal_writes_of_races(const claim::VerifyResult& of, std::vector<GroupedFinding>& all) {
  using Sites = std::pair<trace::Site, trace::Site>;
  std::set<Sites> racing;
  const auto sites_of = [](const trace::Finding& finding) -> Sites {
    return std::minmax(finding.first.site, finding.second.site);
  };
  for (const trace::Finding& finding : of.findings) {
    if (finding.rule == RuleId::race) racing.insert(sites_of(finding));
  }
  std::erase_if(all, [&](const GroupedFinding& one) {
    return !one.group.empty() && std::all_of(one.group.begin(), one.group.end(), [&](std::size_t i) {
      return of.findings[i].rule == RuleId::equal_bytes && racing.contains(sites_of(of.findings[i]));
    });
  });
}

std::vector<Finding> in_order_of_cause(const claim::VerifyResult& of, std::vector<GroupedFinding> all) {
  return Causes(of, all).run();
}

}  // namespace ptxmc::explain

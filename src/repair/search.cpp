// SPDX-License-Identifier: Apache-2.0
#include "repair/search.h"

#include <algorithm>
#include <memory>
#include <set>

#include "input/litmus/parse.h"
#include "model/flag_rules.h"
#include "repair/minimal.h"
#include "repair/new_findings.h"

namespace ptxmc::repair {

namespace {

constexpr std::size_t kMostPaired = 64;  // changes by which threads wait, of which two are tried together

/// Order that can be added where these edits are made.
bool stands_beside(const Site& site, const std::vector<Edit>& edits) {
  if (site.rank == Rank::late) {  // where it stands elsewhere than its twin
    const std::size_t at = site.options.front().edits.front().begin;
    if (std::none_of(edits.begin(), edits.end(),
                     [&](const Edit& edit) { return edit.begin == at && edit.end == at; }))
      return false;
  }
  return std::none_of(site.options.begin(), site.options.end(),
                      [&](const Option& option) { return overlap(edits, option.edits); });
}

std::vector<std::size_t> chosen(const std::vector<std::size_t>& sites, const Set& set) {
  std::vector<std::size_t> out;
  for (const std::size_t i : set) out.push_back(sites[i]);
  return out;
}

Changes joined(Changes a, const Changes& b) {
  a.insert(a.end(), b.begin(), b.end());
  std::sort(a.begin(), a.end());
  return a;
}

}  // namespace

void Search::run() {
  const bool halves = std::none_of(
      session_.model().flags.begin(), session_.model().flags.end(),
      [](const auto& flag) { return model::rule_of(flag).id == finding::RuleId::fence_of_a_later_version; });
  std::vector<Reach> steps = {{.half_fences = halves},
                              {.half_fences = halves, .sequential = true},
                              {.half_fences = halves, .meetings = true},
                              {.half_fences = halves, .meetings = true, .pairs = true},
                              {halves, true, true, true}};
  if (asked_.all_kinds) steps = {steps.back()};
  steps.push_back({.half_fences = halves, .operands = true});
  constexpr std::size_t kOfKernel = 3;  // order, fence.sc, and barriers with moves
  if (asked_.of_kernel) steps.resize(kOfKernel);
  if (asked_.ordering_alone) steps.resize(1);
  for (const Reach& reach : steps) {
    out_.meetings = out_.meetings || reach.meetings;
    // That a thread waits for something else, or for nothing, ends most hangs: it comes after what keeps its waits.
    same_waits_ = reach.meetings && out_.wanted.terminates && !asked_.all_kinds;
    look(reach);
    if (repairs_.empty() && same_waits_) {
      same_waits_ = false;
      look(reach);
    }
    if (!repairs_.empty()) break;
  }
}

bool Search::enough(double bound) const {
  if (asked_.repairs == 0 || repairs_.size() < asked_.repairs) return false;
  std::vector<double> costs;
  for (const Candidate& repair : repairs_) costs.push_back(repair.cost);
  std::nth_element(costs.begin(), costs.begin() + static_cast<std::ptrdiff_t>(asked_.repairs - 1),
                   costs.end());
  return costs[asked_.repairs - 1] <= bound;
}

void Search::take(const Changes& changes, const CostModel& prices) {
  const bool known = std::any_of(repairs_.begin(), repairs_.end(),
                                 [&](const Candidate& repair) { return repair.changes == changes; });
  if (known) return;
  const bool terminates = out_.wanted.terminates || out_.before.hangs == false;
  const bool orders_alone = !has_effect(changes, Effect::waits) && !has_effect(changes, Effect::other);
  if (!orders_alone || out_.wanted.terminates) {
    const std::optional<bool> live = judge_.live(changed(layout_, sites_, changes), terminates);
    if (!live) out_.open = true;
    if (live != true) return;
  }
  if (has_effect(changes, Effect::other) && !judge_.still_waits(test_, changed(layout_, sites_, changes)))
    return;
  repairs_.push_back({changes, cost_of(changes, prices)});
}

double Search::cost_of(const Changes& changes, const CostModel& prices) const {
  double cost = 0;
  for (const Change& change : changes) cost += prices.of(option_of(change));
  return cost;
}

double Search::least_cost(std::size_t site, const CostModel& prices) const {
  std::vector<double> costs;
  for (const Option& option : sites_[site].options) costs.push_back(prices.of(option));
  return *std::min_element(costs.begin(), costs.end());
}

Changes Search::strongest(const std::vector<std::size_t>& sites) const {
  Changes changes;
  for (const std::size_t site : sites) changes.push_back({site, sites_[site].options.size() - 1});
  return changes;
}

// Every option that is no stronger than it must be.
void Search::refine(const Changes& given, const std::vector<std::size_t>& sites, const CostModel& prices,
                    std::optional<Change> lowered) {
  std::vector<std::vector<std::vector<std::size_t>>> weaker;
  Choice top;
  for (const std::size_t site : sites) {
    weaker.emplace_back();
    for (const Option& option : sites_[site].options) weaker.back().push_back(option.weaker);
    top.push_back(sites_[site].options.size() - 1);
  }
  const auto changes_of = [&](const Choice& choice) {
    Changes changes;
    for (std::size_t i = 0; i < sites.size(); ++i) changes.push_back({sites[i], choice[i]});
    return joined(given, changes);
  };
  const auto ask = [&](const Choice& choice) {
    const std::optional<bool> answer = safe(changes_of(choice));
    if (!answer) out_.open = true;
    return answer;
  };
  for (const Choice& choice : minimal_choices(weaker, top, ask, asked_.monotone)) {
    const Changes changes = changes_of(choice);
    const bool least = std::all_of(given.begin(), given.end(),
                                   [&](const Change& change) { return is_least(changes, change); });
    if (least && (!lowered || needs(changes, *lowered))) take(changes, prices);
  }
}

// Without a change the others do not do.
bool Search::needs(const Changes& changes, Change lowered) {
  Changes others = changes;
  std::erase(others, lowered);
  return safe(others) == false;
}

// With a change that is weaker there the others do not do.
bool Search::is_least(const Changes& changes, Change at) {
  Changes others = changes;
  std::erase(others, at);
  const std::vector<std::size_t>& weaker = option_of(at).weaker;
  return std::all_of(weaker.begin(), weaker.end(), [&](std::size_t option) {
    return safe(joined(others, {{at.site, option}})) == false;
  });
}

// Sets of sites are minimal at their strongest: where a strong change at one site does, a weak one there that needs another site, too,
// may be cheaper.
void Search::look_lower(const std::vector<std::size_t>& sites, const CostModel& prices) {
  if (repairs_.empty()) return;
  double least = repairs_.front().cost;
  std::set<Change> lower;
  for (const Candidate& repair : repairs_) {
    least = std::min(least, repair.cost);
    for (const Change& change : repair.changes)
      for (const std::size_t option : option_of(change).weaker) lower.insert({change.site, option});
  }
  for (const Change& lowered : lower) look_lower(lowered, sites, least, prices);
}

void Search::look_lower(Change lowered, const std::vector<std::size_t>& sites, double least,
                        const CostModel& prices) {
  constexpr double kSame = 1e-2;
  const double spent = prices.of(option_of(lowered));
  std::vector<std::size_t> others;
  std::vector<double> costs;
  for (const std::size_t site : sites) {
    const double cost = least_cost(site, prices);
    if (site == lowered.site || cost + spent + kSame >= least) continue;
    others.push_back(site);
    costs.push_back(cost);
  }
  if (others.empty() || asked_.changes < 2) return;
  const Ask ask = [&](const Set& set) { return safe(joined({lowered}, strongest(chosen(others, set)))); };
  const Minimal take_set = [&](const Set& set, double cost) {
    if (cost + spent + kSame >= least) return false;
    if (!set.empty()) refine({lowered}, chosen(others, set), prices, lowered);
    return true;
  };
  out_.open = out_.open || minimal_sets(costs, asked_.changes - 1, ask, take_set, asked_.monotone).open;
}

// Minimal sets of sites at their strongest, then their options. False: not even all of them do.
bool Search::look_from(const Changes& given, const std::vector<std::size_t>& sites, const CostModel& prices) {
  std::vector<double> costs;
  for (const std::size_t site : sites) costs.push_back(least_cost(site, prices));
  const double spent = cost_of(given, prices);
  const Ask ask = [&](const Set& set) { return safe(joined(given, strongest(chosen(sites, set)))); };
  const Minimal take_set = [&](const Set& set, double cost) {
    if (enough(cost + spent)) return false;
    refine(given, chosen(sites, set), prices);
    return true;
  };
  const MinimalSets sets = minimal_sets(costs, asked_.changes - given.size(), ask, take_set, asked_.monotone);
  out_.open = out_.open || sets.open;
  out_.beyond = out_.beyond || sets.beyond;
  out_.by_order = out_.by_order || (given.empty() && sets.any);
  return sets.any;
}

// Nothing may be known of a program in which everything is changed (a loop that a wait stands in is cut,
// say): then what leaves even itself open is not tried.
void Search::drop_open(std::vector<std::size_t>& sites) {
  if (safe(strongest(sites))) return;
  const std::size_t before = sites.size();
  std::erase_if(sites, [&](std::size_t site) { return !safe(strongest({site})); });
  if (sites.size() != before) out_.open = true;
}

std::vector<Site> Search::tried(const Reach& reach) const {
  std::vector<Site> sites = strengthenings(test_, layout_, reach);
  std::erase_if(sites, [&](const Site& site) {
    const std::size_t at = site.options.front().edits.front().begin;
    const auto line = 1 + std::count(layout_.text().begin(),
                                     layout_.text().begin() + static_cast<std::ptrdiff_t>(at), '\n');
    if (asked_.of_kernel && site.kind == Kind::signal) return true;
    return site.kind == Kind::instruction &&
           std::find(asked_.kept.begin(), asked_.kept.end(), line) != asked_.kept.end();
  });
  return sites;
}

void Search::look(const Reach& reach) {
  sites_ = tried(reach);
  out_.sites = sites_.size();
  const CostModel prices(asked_.costs != nullptr ? *asked_.costs : Costs::shipped(), sites_);
  out_.measured = prices.measured();
  out_.unmeasured = prices.unmeasured();
  std::vector<std::size_t> ordering, late, meetings;
  for (std::size_t site = 0; site < sites_.size(); ++site) {
    if (sites_[site].effect == Effect::orders)
      (sites_[site].rank == Rank::late ? late : ordering).push_back(site);
    else if (!same_waits_ || sites_[site].effect != Effect::other)
      meetings.push_back(site);
  }
  drop_open(ordering);
  look_from({}, ordering, prices);
  if (!out_.by_order) judge_.ask_outcome_last();
  look_lower(ordering, prices);
  if (meetings.empty()) return;
  ordering.insert(ordering.end(), late.begin(), late.end());
  most_order_ = {};
  if (asked_.monotone && !reach.sequential) {
    Reach sequential = reach;
    sequential.sequential = true;
    most_order_ = tried(sequential);
    std::erase_if(most_order_, [](const Site& site) { return site.effect != Effect::orders; });
  }
  for (const std::size_t site : meetings) look_at_meeting(site, ordering, prices);
  if (reach.pairs && asked_.changes > 1 && repairs_.empty()) look_at_pairs(meetings, reach, prices);
}

// The strongest option first: where no order does beside it, none does beside a weaker one.
void Search::look_at_meeting(std::size_t site, const std::vector<std::size_t>& ordering,
                             const CostModel& prices) {
  const std::vector<Option>& options = sites_[site].options;
  std::set<std::size_t> dropped;
  for (std::size_t option = options.size(); option-- > 0;) {
    if (dropped.contains(option) || look_beside({{site, option}}, ordering, prices)) continue;
    if (asked_.monotone) dropped.insert(options[option].weaker.begin(), options[option].weaker.end());
  }
}

// Two changes by which threads wait.
void Search::look_at_pairs(const std::vector<std::size_t>& sites, const Reach& reach,
                           const CostModel& prices) {
  std::vector<Change> meetings;
  for (const std::size_t site : sites) {
    if (!reach.sequential && sites_[site].effect != Effect::waits) continue;  // all of them at last
    for (std::size_t option = 0; option < sites_[site].options.size(); ++option)
      meetings.push_back({site, option});
  }
  if (meetings.size() > kMostPaired) {
    out_.beyond = true;
    return;
  }
  for (std::size_t a = 0; a < meetings.size(); ++a) {
    for (std::size_t b = a + 1; b < meetings.size(); ++b) {
      if (meetings[a].site != meetings[b].site) look_beside({meetings[a], meetings[b]}, {}, prices);
    }
  }
}

// Changes by which threads wait, and as much order as they need: what one of them does says nothing of two. False: no order does.
bool Search::look_beside(const Changes& given, const std::vector<std::size_t>& ordering,
                         const CostModel& prices) {
  std::vector<Edit> edits;
  for (const Change& change : given) {
    const std::vector<Edit>& own = option_of(change).edits;
    if (overlap(edits, own)) return true;
    edits.insert(edits.end(), own.begin(), own.end());
  }
  if (enough(cost_of(given, prices))) return true;
  if (asked_.monotone && judge_.ends(changed(layout_, sites_, given)) == false) return true;
  std::vector<std::size_t> apart = ordering;
  std::erase_if(apart, [&](std::size_t other) { return !stands_beside(sites_[other], edits); });
  if (!apart.empty() && hopeless(given, edits)) return false;
  return look_from(given, apart, prices);
}

// Not even fences that are sequentially consistent would do: asked at once, as those are tried again beside every meeting.
bool Search::hopeless(const Changes& given, const std::vector<Edit>& edits) {
  if (most_order_.empty()) return false;
  std::vector<Site> sites = most_order_;
  Changes changes;
  for (std::size_t i = 0; i < sites.size(); ++i) {
    if (stands_beside(sites[i], edits)) changes.push_back({i, sites[i].options.size() - 1});
  }
  for (const Change& change : given) {
    changes.push_back({sites.size(), change.option});
    sites.push_back(sites_[change.site]);
  }
  return judge_.safe(changed(layout_, sites, changes)) == false;
}

void Search::finish() {
  std::stable_sort(repairs_.begin(), repairs_.end(), [](const Candidate& a, const Candidate& b) {
    return a.cost != b.cost ? a.cost < b.cost : a.changes.size() < b.changes.size();
  });
  NewFindings new_findings(session_, test_, out_.before, asked_.budget);
  for (const Candidate& candidate : repairs_) {
    if (asked_.repairs != 0 && out_.repairs.size() == asked_.repairs) {
      out_.more = true;
      break;
    }
    Repair repair;
    for (const Change& change : candidate.changes) {
      const Option& option = option_of(change);
      repair.what.push_back(option.what);
      repair.edits.insert(repair.edits.end(), option.edits.begin(), option.edits.end());
    }
    const std::string text = changed(layout_, sites_, candidate.changes);
    const auto source = std::make_shared<const Source>(Source{test_.source->name, text});
    const litmus::Test after = litmus::parse(source);
    std::optional<bool> added;
    try {
      repair.proof = repair::look(session_, after, asked_.budget);
      const bool clean = repair.proof.races == false && repair.proof.findings.empty();
      added = clean ? false : new_findings.any(text, repair.edits);
    } catch (const OutOfTime&) {
      out_.out_of_time = true;
      break;
    }
    Wanted wanted = out_.wanted;
    wanted.terminates = wanted.terminates || out_.before.hangs == false;
    out_.problems.insert(out_.problems.end(), repair.proof.problems.begin(), repair.proof.problems.end());
    if (!repair.proof.has(wanted) || !added) {
      out_.open = true;
      continue;
    }
    if (*added || has_new_finding(out_.before, repair.proof)) continue;
    repair.text = stating(after, text, repair.proof, out_.wanted);
    repair.cost = candidate.cost;
    out_.repairs.push_back(std::move(repair));
  }
  out_.questions = judge_.asked();
}

}  // namespace ptxmc::repair

// SPDX-License-Identifier: Apache-2.0
// Races in tensor memory.
//
// Two operations there are ordered if they are a pipelined pair and are issued in order, or if the first one
// is known to be complete before the second is issued; both orders cross threads by tcgen05 fences around
// whatever orders execution. So there are few things to be missing: a wait for the first, an order of the two threads,
// fences, stronger instructions on the way. Each set of them is asked of an engine, from the one that puts in or
// changes the fewest instructions, and the first that removes the race is the reason and the advice.
//
// Which of the two comes first is what the racing execution suggests (TensorView::comes_first), unless less helps the
// other way round. An alloc is always the first of the two, a dealloc the second.
#include "axiomatic/question/tensor_diagnosis.h"

#include <algorithm>
#include <bit>
#include <map>
#include <tuple>
#include <utility>

#include "axiomatic/question/tensor_repair.h"

namespace ptxmc::check {

using event::Event;
using event::EventId;
using event::kNoEvent;
using event::TensorOp;
using Link = TensorStory::Link;

namespace {

/// Those with the lower number are tried first among sets of one cost.
enum Change : unsigned {
  kAfter = 1U << 0,
  kBefore = 1U << 1,
  kWiderScope = 1U << 2,
  kOtherOrder = 1U << 3,
  kOtherStrength = 1U << 4,
};
constexpr unsigned kFences = kAfter | kBefore, kAllChanges = (1U << 5) - 1;

/// What is tried together.
struct Stage {
  bool everywhere = false;  ///< fences around whatever may order execution
  unsigned changes = kFences;
  bool meetings = true;
  bool for_a_read = false;  ///< orders alone that depend on what a read saw
  std::size_t most = 9;     ///< cost
};

struct FoundRepair {
  TensorRemedy remedy;
  Hypothesis hypothesis;
  Level target = Level::always;
  std::size_t cost = 0;
  std::optional<std::pair<EventId, EventId>> awaited = {};  // of a target that is not `always`
  bool swapped = false;
};

std::tuple<bool, std::size_t, bool> rank(const FoundRepair& found) {
  const bool linked = found.remedy.completion || found.remedy.meeting;
  return {found.target != Level::always, found.cost, linked};
}

/// The better of two; the first, where they are as good.
std::optional<FoundRepair> better(std::optional<FoundRepair> a, std::optional<FoundRepair> b) {
  return a && (!b || rank(*a) <= rank(*b)) ? std::move(a) : std::move(b);
}

/// The search for the least that removes the race, one operation before the other.
class TensorSearch {
 public:
  TensorSearch(const TensorRepair& repair, const Counterfactual& ask, const engine::State& racing,
               const Stage& stage)
      : repair_(repair),
        ask_(ask),
        racing_(racing),
        changes_(stage.changes),
        most_(stage.most),
        before_(stage.everywhere ? repair.all_before() : repair.near_before()),
        after_(stage.everywhere ? repair.all_after() : repair.near_after()) {
    std::vector<std::optional<Link>> completions{std::nullopt}, meetings{std::nullopt};
    for (const Link& link : repair.completions()) completions.emplace_back(link);
    if (stage.meetings) {
      for (const Link& link : repair.meetings()) meetings.emplace_back(link);
    }
    for (const auto& meeting : meetings) {
      for (const auto& completion : completions) {
        const bool linked = meeting || completion;
        for (const std::size_t shift : linked ? repair.shifts() : std::vector<std::size_t>{0})
          plans_.push_back({{completion, meeting, {}, {}, 0, shift}, links_cost(completion, meeting)});
      }
    }
    std::stable_sort(plans_.begin(), plans_.end(),
                     [](const Plan& a, const Plan& b) { return a.cost < b.cost; });
  }

  std::optional<FoundRepair> run() {
    auto found = search(Level::always);
    return found ? found : run_for_a_read();
  }
  /// The two are ordered where a read has seen a write, and nothing waits for that.
  std::optional<FoundRepair> run_for_a_read() {
    auto found = search(Level::sometimes);
    return found && decided_by_a_read(*found) ? found : std::nullopt;
  }

 private:
  struct Plan {
    TensorRemedy remedy;  // links alone
    std::size_t cost = 0;
    std::map<Level, bool> helps = {};  // with all changes
  };

  bool decided_by_a_read(FoundRepair& found) const {
    const auto edge = ask_.awaited(found.hypothesis, racing_);
    if (!edge || racing_.witness.reads_from[edge->second] == edge->first) return false;
    found.awaited = edge;
    return true;
  }

  static std::size_t links_cost(const std::optional<Link>& completion, const std::optional<Link>& meeting) {
    return (completion ? TensorRepair::cost(*completion) : 0) + (meeting ? TensorRepair::cost(*meeting) : 0);
  }

  TensorRemedy with(const Plan& plan, unsigned changes) const {
    TensorRemedy out = plan.remedy;
    if ((changes & kAfter) != 0) out.after = after_;
    if ((changes & kBefore) != 0) out.before = before_;
    if ((changes & kWiderScope) != 0) out.aspects |= bit(Aspect::scope);
    if ((changes & kOtherOrder) != 0) out.aspects |= bit(Aspect::order);
    if ((changes & kOtherStrength) != 0) out.aspects |= bit(Aspect::strength);
    return out;
  }

  std::optional<FoundRepair> search(Level target) {
    for (std::size_t cost = 0; cost <= most_; ++cost) {
      for (Plan& plan : plans_) {
        if (plan.cost > cost || (target == Level::sometimes && plan.remedy.meeting)) continue;
        if (!helps(plan, target)) continue;
        for (unsigned set = 0; set <= changes_; ++set) {
          if ((set & ~changes_) != 0 || plan.cost + static_cast<std::size_t>(std::popcount(set)) != cost)
            continue;
          if (auto found = try_set(plan, set, target)) return found;
        }
      }
    }
    return std::nullopt;
  }

  bool helps(Plan& plan, Level target) const {
    const auto [known, fresh] = plan.helps.try_emplace(target, false);
    if (fresh) known->second = ask_.reaches(repair_.build(with(plan, changes_)), target);
    return known->second;
  }

  std::optional<FoundRepair> try_set(const Plan& plan, unsigned set, Level target) const {
    FoundRepair found{with(plan, set), {}, target};
    found.hypothesis = repair_.build(found.remedy);
    if (!ask_.reaches(found.hypothesis, target)) return std::nullopt;
    drop_places(found, &TensorRemedy::before);
    drop_places(found, &TensorRemedy::after);
    found.hypothesis = repair_.build(found.remedy);
    ask_.minimise(found.hypothesis, target);
    if (ask_.far_fetched(found.hypothesis, target)) return std::nullopt;
    ask_.narrow(found.hypothesis, target);
    found.cost = plan.cost + found.remedy.before.size() + found.remedy.after.size() +
                 ask_.changes(found.hypothesis).size();
    return found;
  }

  void drop_places(FoundRepair& found, TensorRemedy::Places TensorRemedy::*places) const {
    for (std::size_t i = 0; i < (found.remedy.*places).size();) {
      TensorRemedy fewer = found.remedy;
      (fewer.*places).erase((fewer.*places).begin() + static_cast<std::ptrdiff_t>(i));
      if (ask_.reaches(repair_.build(fewer), found.target)) {
        found.remedy = std::move(fewer);
      } else {
        ++i;
      }
    }
  }

  const TensorRepair& repair_;
  const Counterfactual& ask_;
  const engine::State& racing_;
  const unsigned changes_;
  const std::size_t most_;
  const TensorRemedy::Places before_, after_;
  std::vector<Plan> plans_;
};

class TensorDiagnostician {
  using Kind = TensorStory::Kind;

 public:
  TensorDiagnostician(const engine::Query& query, std::size_t flag, EventId a, EventId b,
                      const engine::State& racing, const Solve& solve)
      : graph_(query.graph), view_(query, racing), racing_(racing), ask_(query, flag, a, b, solve) {
    const bool swap = !in_first_place(a, b);
    story_.first = swap ? b : a;
    story_.second = swap ? a : b;
  }

  Diagnosis run() {
    Diagnosis out;
    try {
      if (ask_.enumerable()) find(out);
    } catch (const GaveUp& gave_up) {
      out = {};
      out.unknown = gave_up.reason;
    }
    return out;
  }

 private:
  const Event& event(EventId e) const { return graph_.events[e]; }
  TensorOp op(EventId access) const { return event(event(access).issue).tensor.op; }
  bool is(EventId access, TensorOp wanted) const { return op(access) == wanted; }

  bool in_first_place(EventId a, EventId b) const {
    if (is(a, TensorOp::alloc) != is(b, TensorOp::alloc)) return is(a, TensorOp::alloc);
    if (is(a, TensorOp::dealloc) != is(b, TensorOp::dealloc)) return is(b, TensorOp::dealloc);
    return view_.comes_first(a, b);
  }
  bool either_way() const {
    const auto fixed = [&](EventId e) { return is(e, TensorOp::alloc) || is(e, TensorOp::dealloc); };
    return !fixed(story_.first) && !fixed(story_.second);
  }

  std::optional<FoundRepair> search(EventId first, EventId second, const Stage& stage) const {
    const TensorRepair repair(graph_, view_, ask_, first, second);
    if (!repair.possible()) return std::nullopt;
    TensorSearch search(repair, ask_, racing_, stage);
    return stage.for_a_read ? search.run_for_a_read() : search.run();
  }

  std::optional<FoundRepair> search(const Stage& stage) const {
    auto found = search(story_.first, story_.second, stage);
    if (!either_way()) return found;
    auto other = search(story_.second, story_.first, stage);
    if (other) other->swapped = true;
    return better(std::move(found), std::move(other));
  }

  // Fences beside the two; where that is not all, fences elsewhere; then other instructions made stronger, too. Where
  // execution is ordered, that was meant to order them, and a meeting of the two threads is the last resort.
  std::optional<FoundRepair> search() const {
    const EventId one = event(story_.first).issue, other = event(story_.second).issue;
    const bool ordered = view_.reaches(one, other) || view_.reaches(other, one);
    if (!ordered) {
      if (auto found = search(Stage{false, kAllChanges, false, true})) return found;
    }
    for (const bool meetings : {!ordered, true}) {
      std::optional<FoundRepair> found;
      for (Stage stage : {Stage{false, kFences, meetings}, Stage{true, kFences, meetings},
                          Stage{false, kAllChanges, meetings}}) {
        if (found && found->cost < 2) return found;
        if (found) stage.most = found->cost;
        found = better(std::move(found), search(stage));
      }
      if (!found) found = search(Stage{true, kAllChanges, meetings});
      if (found || meetings) return found;
    }
    return std::nullopt;
  }

  void find(Diagnosis& out) {
    const bool frees = is(story_.second, TensorOp::dealloc);
    if (frees && is(story_.first, TensorOp::dealloc)) {
      story_.kinds = {Kind::freed_twice};
    } else if (const auto found = search()) {
      if (found->swapped) std::swap(story_.first, story_.second);
      tell(*found, out);
    } else if (frees && moved_helps()) {
      std::swap(story_.first, story_.second);
      story_.kinds = {Kind::after_dealloc};
    } else {
      story_.kinds = {is(story_.first, TensorOp::alloc) ? Kind::before_alloc
                      : frees                           ? Kind::before_dealloc
                                                        : Kind::unordered};
      story_.advised = false;
    }
    out.tensor = story_;
  }

  bool moved_helps() const {
    return ask_.always(TensorRepair(graph_, view_, ask_, story_.first, story_.second).moved_behind());
  }

  void tell(const FoundRepair& found, Diagnosis& out) {
    ask_.tell(found.hypothesis, out);
    if (found.target == Level::sometimes) {
      out.missing.push_back(Missing::wait);
      out.awaited = found.awaited;
    }
    story_.completion = found.remedy.completion;
    story_.meeting = found.remedy.meeting;
    story_.before = found.remedy.before;
    story_.after = found.remedy.after;
    story_.pipelined = view_.pipelined(event(story_.first).issue, event(story_.second).issue);
    fence_beside_wait();
    const bool frees = is(story_.second, TensorOp::dealloc);
    if (story_.completion) {
      add(story_.completion->wait != kNoEvent ? Kind::other_phase
          : frees                             ? Kind::before_dealloc
                                              : Kind::incomplete);
      story_.wait = wait_for_others();
    }
    if (story_.meeting) {
      add(story_.meeting->wait != kNoEvent    ? Kind::other_phase
          : is(story_.first, TensorOp::alloc) ? Kind::before_alloc
          : frees                             ? Kind::before_dealloc
                                              : Kind::unordered);
    }
    if (!story_.before.empty()) add(Kind::no_before);
    if (!story_.after.empty()) add(Kind::no_after);
  }

  // A wait and a fence that are both put in right before the second are one piece of advice.
  void fence_beside_wait() {
    const EventId second = event(story_.second).issue;
    const auto own =
        std::find_if(story_.after.begin(), story_.after.end(),
                     [&](const TensorStory::Place& place) { return place.at == second && !place.behind; });
    if (own == story_.after.end()) return;
    for (auto* link : {&story_.completion, &story_.meeting}) {
      if (!*link || (*link)->until != second) continue;
      (*link)->fenced = true;
      story_.after.erase(own);
      return;
    }
  }

  void add(Kind kind) {
    if (std::find(story_.kinds.begin(), story_.kinds.end(), kind) == story_.kinds.end())
      story_.kinds.push_back(kind);
  }

  // A tcgen05.wait between the two that is for the other kind of access.
  EventId wait_for_others() const {
    const EventId issue = event(story_.first).issue;
    const bool local = is(story_.first, TensorOp::ld) || is(story_.first, TensorOp::st);
    for (EventId e = issue + 1; local && e < graph_.size(); ++e) {
      const bool waits =
          event(e).opcode == isa::Opcode::tcgen05_wait && event(e).thread == event(issue).thread;
      const bool for_it =
          std::any_of(graph_.completed.begin(), graph_.completed.end(),
                      [&](const auto& pair) { return pair.second == e && event(pair.first).issue == issue; });
      if (waits && !for_it && view_.reaches(e, event(story_.second).issue)) return e;
    }
    return kNoEvent;
  }

  const event::ProgramGraph& graph_;
  const TensorView view_;
  const engine::State& racing_;
  const Counterfactual ask_;
  TensorStory story_;
};

}  // namespace

std::optional<Diagnosis> diagnose_tensor(const engine::Query& query, std::size_t flag, EventId a, EventId b,
                                         const engine::State& racing, const Solve& solve) {
  const auto tensor = [&](EventId e) {
    const Event& event = query.graph.events[e];
    return event.is_access() && event.labels.proxy == isa::Proxy::tensor && event.issue != kNoEvent;
  };
  if (!tensor(a) || !tensor(b)) return std::nullopt;
  return TensorDiagnostician(query, flag, a, b, racing, solve).run();
}

}  // namespace ptxmc::check

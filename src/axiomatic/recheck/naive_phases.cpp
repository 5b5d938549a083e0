// SPDX-License-Identifier: Apache-2.0
// A plain simulator of bar, barrier.cluster and mbarrier (9.7.12.1 to 9.7.12.3, 9.7.12.15), run depth first
// over interleavings, that looks for one in which every wait observes just what the given value says. It
// shares nothing with the phase machine: operands come from the values of the execution, there is no theory
// of independent steps. What keeps it small is the value itself, which cuts every run at the first wait that
// it does not fit; and that a wait changes nothing, so that one that fits is taken at once.
#include "axiomatic/recheck/naive_phases.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "axiomatic/event/sync_path.h"
#include "axiomatic/recheck/describe.h"
#include "axiomatic/recheck/naive_barriers.h"

namespace ptxmc::check {
namespace {

using event::Event;
using event::EventId;
using event::EventKind;
using event::kNoEvent;
using event::MbarrierOp;
using event::ThreadId;
using event::Value;

constexpr std::size_t kMaxStates = 400000;
constexpr Value kMostCounted = (1 << 20) - 1;

struct Situation {
  struct Condition {
    bool live = false;
    EventId invalidated = kNoEvent;
    Value phase = 0, expected = 0, pending = 0, tx = 0;
    std::set<EventId> now, before;
    std::optional<Value> wanted;
    friend auto operator<=>(const Condition&, const Condition&) = default;
  };
  std::map<ThreadId, std::size_t> done;
  std::set<ThreadId> stands, gone;  // at a bar; exited
  std::set<EventId> fired;
  std::vector<Condition> objects;
  std::map<EventId, Value> joined;  // phases of arrivals
  friend auto operator<=>(const Situation&, const Situation&) = default;
};

class Simulator {
 public:
  Simulator(const event::ProgramGraph& graph, const event::Execution& execution,
            const relation::BitMatrix& phase, NaiveValues& values)
      : graph_(graph), phase_(phase), program_(graph, execution, values) {}

  std::vector<std::string> run() {
    for (EventId from = 0; from < graph_.size(); ++from) {
      for (EventId to = 0; to < graph_.size(); ++to) {
        if (phase_.test(from, to) && !program_.related.contains(to))
          return {"phase relates " + describe(graph_, from) + " and " + describe(graph_, to) +
                  ", which is no barrier operation here"};
      }
    }
    for (const std::set<ThreadId>& threads : program_.groups()) {
      group_ = threads;
      seen_.clear();
      if (!reachable(beginning())) {
        return {seen_.size() > kMaxStates ? "phase has too many interleavings to be judged"
                                          : "no interleaving of the barrier operations gives this phase"};
      }
    }
    return {};
  }

 private:
  const Event& event(EventId e) const { return graph_.events[e]; }
  Value value(event::Expr e) const { return program_.value(e); }
  std::size_t object_of(EventId e) const { return program_.object_of.at(e); }
  bool in_group(EventId e) const { return group_.contains(event(e).thread); }

  Situation beginning() const {
    Situation s;
    s.objects.resize(program_.objects.size());
    for (std::size_t o = 0; o < program_.objects.size(); ++o) {
      for (const event::InitialMbarrier& initial : graph_.mbarriers) {
        if (program_.objects[o].name != ObjectName{3, initial.owner, initial.object}) continue;
        s.objects[o].live = true;
        s.objects[o].expected = s.objects[o].pending = initial.count;
      }
    }
    for (const ThreadId t : group_) s.done[t] = 0;
    return s;
  }

  EventId next(const Situation& s, ThreadId t) const {
    const auto program = program_.programs.find(t);
    const std::size_t done = s.done.at(t);
    return program == program_.programs.end() || done >= program->second.size() ? kNoEvent
                                                                                : program->second[done];
  }

  /// Some member of the group will still do this to the object.
  bool to_come(const Situation& s, std::size_t object, MbarrierOp op) const {
    for (const auto& [t, program] : program_.programs) {
      if (!group_.contains(t)) continue;
      for (std::size_t k = s.done.at(t); k < program.size(); ++k) {
        const Event& it = event(program[k]);
        if (it.mbarrier && it.mbarrier->op == op && object_of(program[k]) == object) return true;
      }
    }
    return false;
  }

  enum class Wait { no, yes, wrong };

  Wait wait_state(const Situation& s, EventId e) const {
    const Event& it = event(e);
    const Situation::Condition& object = s.objects[object_of(e)];
    if (it.barrier) {
      Value turn = 0;
      for (const EventId before : program_.programs.at(it.thread)) {
        if (before == e) break;
        turn += program_.waits(before) && event(before).barrier;
      }
      return object.phase > turn ? Wait::yes : Wait::no;
    }
    if (!object.live) return Wait::no;
    if (it.mbarrier->parity) {
      const Value parity = value(*it.mbarrier->parity);
      if (parity != 0 && parity != 1) return Wait::wrong;
      return (object.phase - 1 - parity) % 2 == 0 ? Wait::yes : Wait::no;
    }
    const Value state = value(*it.mbarrier->token);
    for (const auto& [arrival, phase] : s.joined) {
      if (event::state_of(graph_, arrival) != state || object_of(arrival) != object_of(e)) continue;
      if (phase == object.phase) return Wait::no;
      return phase == object.phase - 1 ? Wait::yes : Wait::wrong;
    }
    const bool some =
        std::any_of(program_.object_of.begin(), program_.object_of.end(), [&](const auto& entry) {
          return event::state_of(graph_, entry.first) == state && entry.second == object_of(e);
        });
    return some ? Wait::no : Wait::wrong;
  }

  /// A pair that says that `at` misuses its object: by itself, or behind an inval.
  bool marks_misuse(EventId from, EventId at) const {
    const auto& object = event(from).mbarrier;
    return from == at || (object && object->op == MbarrierOp::inval && program_.exists(from));
  }

  bool observes(EventId wait, const std::set<EventId>& members) const {
    for (EventId e = 0; e < graph_.size(); ++e) {
      if (phase_.test(e, wait) != members.contains(e) && !marks_misuse(e, wait)) return false;
    }
    return true;
  }

  bool has_wait(EventId e) const { return program_.is_bar(e) ? program_.waits_at_bar(e) : program_.waits(e); }

  /// The run ends with a misuse by e: the value says so, and that it comes before the waits of other threads that are left.
  bool ends_badly(const Situation& s, EventId e, EventId cause) const {
    if (program_.hopeless || !phase_.test(cause, e)) return false;
    for (const ThreadId t : group_) {
      const auto program = program_.programs.find(t);
      if (program == program_.programs.end()) continue;
      for (std::size_t k = s.done.at(t); k < program->second.size(); ++k) {
        const EventId left = program->second[k];
        if (left == e || !has_wait(left)) continue;
        std::set<EventId> before;
        if (event(left).thread != event(e).thread) before.insert(e);
        if (!observes(wait_of(left), before)) return false;
      }
    }
    return arrived_before(s, e);
  }

  EventId wait_of(EventId e) const { return program_.is_bar(e) ? event(e).barrier->wait : e; }

  /// What is said to have arrived before it has.
  bool arrived_before(const Situation& s, EventId e) const {
    for (EventId a = 0; a < graph_.size(); ++a) {
      const bool said = phase_.test(a, e) && !marks_misuse(a, e) && event(a).kind != EventKind::wait;
      if (said && (event(e).kind == EventKind::wait || !s.objects[object_of(e)].now.contains(a)))
        return false;
    }
    return true;
  }

  bool misused(EventId e) const {
    for (EventId other = 0; other < graph_.size(); ++other) {
      if (marks_misuse(other, e) && phase_.test(other, e)) return true;
    }
    return false;
  }

  bool over(const Situation& s) const {
    for (const ThreadId t : group_) {
      const EventId e = next(s, t);
      if (e == kNoEvent) {
        if (program_.hopeless && needs_exits() && program_.ends(t) && !s.gone.contains(t)) return false;
      } else if (!program_.blocked(e) ||
                 (program_.is_bar(e) ? !s.stands.contains(t) : wait_state(s, e) != Wait::no)) {
        return false;
      }
    }
    for (const EventId signal : program_.signals) {
      if (in_group(signal) && (!s.fired.contains(signal) || misused(signal))) return false;
    }
    for (const ThreadId t : group_) {
      const auto program = program_.programs.find(t);
      if (program == program_.programs.end()) continue;
      if (std::any_of(program->second.begin(), program->second.end(), [&](EventId e) { return misused(e); }))
        return false;
    }
    return true;
  }

  bool needs_exits() const {
    return std::any_of(program_.object_of.begin(), program_.object_of.end(), [&](const auto& entry) {
      const Event& it = event(entry.first);
      return in_group(entry.first) && it.barrier && (it.barrier->cluster || !it.barrier->count);
    });
  }

  bool reachable(const Situation& s) {
    if (seen_.size() > kMaxStates || !seen_.insert(s).second) return false;
    if (over(s)) return true;
    // A wait that fits, and an issue, only move their thread on. One that is said to be a misuse does not.
    for (const ThreadId t : group_) {
      const EventId e = next(s, t);
      if (e == kNoEvent || s.gone.contains(t) || program_.blocked(e) || !program_.waits(e) || misused(e))
        continue;
      if (wait_state(s, e) != Wait::yes || !observes(e, s.objects[object_of(e)].before)) continue;
      Situation after = s;
      ++after.done[t];
      return reachable(after);
    }
    for (const ThreadId t : group_) {
      if (s.stands.contains(t) || s.gone.contains(t)) continue;
      if (next(s, t) == kNoEvent ? exit(s, t) : step(s, t, next(s, t))) return true;
    }
    return std::any_of(program_.signals.begin(), program_.signals.end(), [&](EventId signal) {
      return in_group(signal) && !s.fired.contains(signal) && issued(s, signal) && fire(s, signal);
    });
  }

  bool issued(const Situation& s, EventId signal) const {
    const auto& program = program_.programs.at(event(signal).thread);
    const auto place = std::find(program.begin(), program.end(), event(signal).issue);
    return place - program.begin() < static_cast<std::ptrdiff_t>(s.done.at(event(signal).thread));
  }

  bool fire(const Situation& s, EventId signal) {
    Situation after = s;
    after.fired.insert(signal);
    return count(s, after, signal);
  }

  bool exit(const Situation& s, ThreadId t) {
    if (!program_.ends(t) || !needs_exits()) return false;
    Situation after = s;
    after.gone.insert(t);
    for (std::size_t o = 0; o < program_.objects.size(); ++o) {
      if (!settle(after, o)) return false;
    }
    return reachable(after);
  }

  bool step(const Situation& s, ThreadId t, EventId e) {
    Situation after = s;
    const Event& it = event(e);
    if (program_.is_bar(e)) return arrive_at_bar(s, after, t, e);
    ++after.done[t];
    if (it.kind == EventKind::issue) return issue(s, after, e);
    Situation::Condition& object = after.objects[object_of(e)];
    if (it.barrier) {
      if (program_.waits(e)) return false;  // cannot go on, or does not fit
      Value balance = 0;
      for (std::size_t k = 0; k < s.done.at(t); ++k) {
        const EventId before = program_.programs.at(t)[k];
        if (event(before).barrier && event(before).barrier->cluster)
          balance += program_.waits(before) ? -1 : 1;
      }
      if (balance > 0) return ends_badly(s, e, e);
      object.now.insert(e);
      return settle(after, object_of(e)) && reachable(after);
    }
    if (it.mbarrier->op == MbarrierOp::init) {
      if (object.live) {
        return !to_come(s, object_of(e), MbarrierOp::inval) && ends_badly(s, e, e);
      }
      object = {};
      object.live = true;
      object.expected = object.pending = value(*it.mbarrier->count);
      return reachable(after);
    }
    if (!object.live) return dead(s, e);
    if (it.mbarrier->op == MbarrierOp::inval) {
      object = {};
      object.invalidated = e;
      return reachable(after);
    }
    if (program_.waits(e))
      return !program_.blocked(e) && wait_state(s, e) == Wait::wrong && ends_badly(s, e, e);
    if (it.mbarrier->op == MbarrierOp::test_failed) return wait_state(s, e) == Wait::no && reachable(after);
    return count(s, after, e);
  }

  /// An operation on an object that is not initialised: it comes later, or is wrong for good.
  bool dead(const Situation& s, EventId e) const {
    const EventId cause = s.objects[object_of(e)].invalidated;
    if (cause == kNoEvent || program_.blocked(e)) return false;
    return !to_come(s, object_of(e), MbarrierOp::init) && ends_badly(s, e, cause);
  }

  bool issue(const Situation& s, Situation& after, EventId e) {
    for (const EventId signal : program_.signals) {
      if (event(signal).issue != e || !event(signal).mbarrier->increments_pending) continue;
      Value& pending = after.objects[object_of(signal)].pending;
      pending += program_.arrivals(signal);
      if (pending > kMostCounted) return ends_badly(s, e, e);
    }
    return reachable(after);
  }

  bool count(const Situation& s, Situation& after, EventId e) {
    const event::Mbarrier& it = *event(e).mbarrier;
    Situation::Condition& object = after.objects[object_of(e)];
    if (!object.live) return dead(s, e);
    if (it.tx) {
      const bool completes = it.op == MbarrierOp::complete_tx || it.op == MbarrierOp::signal;
      object.tx += completes ? -value(*it.tx) : value(*it.tx);
    }
    const Value taken = program_.arrivals(e);
    if (object.tx > kMostCounted || object.tx < -kMostCounted || taken > object.pending) {
      return ends_badly(s, e, e);
    }
    if (it.op == MbarrierOp::arrive_drop) object.expected -= taken;
    if (object.expected < 0) return ends_badly(s, e, e);
    if (it.seen && value(*it.seen) != object.pending) return false;
    object.pending -= taken;
    if (it.op != MbarrierOp::expect_tx) object.now.insert(e);
    if (event(e).kind == EventKind::arrival) after.joined[e] = object.phase;
    if (object.pending == 0 && object.tx == 0) {
      if (it.no_complete) return ends_badly(s, e, e);
      object.before = std::move(object.now);
      object.now.clear();
      object.pending = object.expected;
      ++object.phase;
    }
    return reachable(after);
  }

  /// How many arrivals the phase takes that e begins; nothing: all participants (R163).
  std::optional<Value> wanted_by(EventId e) const {
    return event(e).barrier->count ? std::optional(value(*event(e).barrier->count)) : std::nullopt;
  }

  bool reduces(EventId e) const { return event(e).opcode == isa::Opcode::bar_red; }

  bool arrive_at_bar(const Situation& s, Situation& after, ThreadId t, EventId e) {
    Situation::Condition& object = after.objects[object_of(e)];
    const auto all = static_cast<Value>(program_.objects[object_of(e)].participants.size());
    if (wanted_by(e) == -1) return ends_badly(s, e, e);
    if (object.now.empty()) {
      object.wanted = wanted_by(e);
    } else if (object.wanted.value_or(all) != wanted_by(e).value_or(all)) {
      return ends_badly(s, e, e);
    }
    for (const EventId earlier : object.now) {  // R170
      const bool alike = reduces(earlier) == reduces(e);
      if (event(earlier).thread == t || !alike) return ends_badly(s, e, e);
    }
    object.now.insert(e);
    if (program_.waits_at_bar(e)) {
      after.stands.insert(t);
    } else {
      ++after.done[t];
    }
    return settle(after, object_of(e)) && reachable(after);
  }

  /// Completes the phase of a bar or cluster barrier that is full; false: a thread goes on that must not, or
  /// observes something else.
  bool settle(Situation& s, std::size_t o) const {
    Situation::Condition& object = s.objects[o];
    const Value what = program_.objects[o].name.front();
    if (what == 3 || object.now.empty()) return true;
    bool full =
        object.wanted && *object.wanted > 0 && static_cast<Value>(object.now.size()) >= *object.wanted;
    if (!object.wanted) {
      full = std::all_of(
          program_.objects[o].participants.begin(), program_.objects[o].participants.end(), [&](ThreadId t) {
            return s.gone.contains(t) || std::any_of(object.now.begin(), object.now.end(),
                                                     [&](EventId e) { return event(e).thread == t; });
          });
    }
    if (!full) return true;
    if (what == 2) {
      object.before = std::move(object.now);
      object.now.clear();
      ++object.phase;
      return true;
    }
    const std::set<ThreadId> standing = s.stands;
    for (const ThreadId t : standing) {
      const EventId e = next(s, t);
      if (object_of(e) != o) continue;
      const bool orders = !event(e).barrier->exchange;  // shfl.sync and the like do not (D22)
      const std::set<EventId> seen = orders ? object.now : std::set<EventId>{};
      if (program_.blocked(e) || !observes(event(e).barrier->wait, seen)) return false;
      s.stands.erase(t);
      ++s.done[t];
    }
    object.now.clear();
    object.wanted.reset();
    return true;
  }

  const event::ProgramGraph& graph_;
  const relation::BitMatrix& phase_;
  const BarrierProgram program_;
  std::set<ThreadId> group_;
  std::set<Situation> seen_;
};

}  // namespace

std::vector<std::string> judge_phases(const event::ProgramGraph& graph, const event::Execution& execution,
                                      const relation::BitMatrix& phase, NaiveValues& values) {
  return Simulator(graph, execution, phase, values).run();
}

}  // namespace ptxmc::check

// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/question/tensor_repair.h"

#include <algorithm>
#include <map>

#include "axiomatic/event/scope.h"

namespace ptxmc::check {

using event::EventId;
using event::EventKind;
using event::kNoEvent;
using event::TensorOp;
using Link = TensorStory::Link;
using Places = TensorRemedy::Places;

namespace {

/// One event of each instruction.
void keep_one_each(const std::vector<std::size_t>& keys, std::vector<EventId>& events) {
  std::vector<EventId> kept;
  for (const EventId e : events) {
    const bool known = std::any_of(kept.begin(), kept.end(), [&](EventId k) { return keys[k] == keys[e]; });
    if (!known) kept.push_back(e);
  }
  events = std::move(kept);
}

}  // namespace

TensorRepair::TensorRepair(const event::ProgramGraph& graph, const TensorView& view,
                           const Counterfactual& ask, EventId first, EventId second)
    : graph_(graph),
      view_(view),
      ask_(ask),
      first_(first),
      second_(second),
      xs_(turns(first)),
      ys_(turns(second)) {}

/// The turns of all threads that execute the instruction; where it races with itself, of one.
std::vector<EventId> TensorRepair::turns(EventId access) const {
  std::vector<EventId> out = turns_of(graph_, ask_.accesses_like(access));
  const bool itself = ask_.keys()[first_] == ask_.keys()[second_];
  std::erase_if(out, [&](EventId turn) { return itself && !in_thread(turn, access); });
  return out;
}

bool TensorRepair::possible() const {
  return !pairs(0).empty() || !pairs(1).empty();
}

bool TensorRepair::one_thread() const {
  return in_thread(first_, second_);
}

/// tcgen05.wait is for loads and stores, a commit for the others (9.7.16.6.2.1).
bool TensorRepair::waits_itself() const {
  const TensorOp op = event(xs_.front()).tensor.op;
  return op == TensorOp::ld || op == TensorOp::st;
}

isa::Scope TensorRepair::scope() const {
  return event::common_scope(graph_.threads[event(first_).thread], graph_.threads[event(second_).thread]);
}

std::vector<EventId> TensorRepair::accesses_of(EventId issue) const {
  std::vector<EventId> out;
  for (EventId e = issue + 1; e < graph_.size(); ++e) {
    if (event(e).issue == issue && event(e).is_access()) out.push_back(e);
  }
  return out;
}

/// The events of an instruction's turns that do the same.
std::vector<EventId> TensorRepair::alike(EventId like) const {
  std::vector<EventId> out;
  for (EventId e = 0; e < graph_.size(); ++e) {
    const bool same = ask_.keys()[e] == ask_.keys()[like] && event(e).kind == event(like).kind;
    if (same && event(e).issue == kNoEvent) out.push_back(e);
  }
  return out;
}

/// The last of its turns before y, in that thread; kNoEvent: none.
EventId TensorRepair::last_before(EventId like, EventId y) const {
  EventId out = kNoEvent;
  for (const EventId e : alike(like)) {
    if (e <= y && in_thread(e, y)) out = e;
  }
  return out;
}

EventId TensorRepair::next_behind(EventId like, EventId x) const {
  for (const EventId e : alike(like)) {
    if (e >= x && in_thread(e, x)) return e;
  }
  return kNoEvent;
}

/// Where it is known that x is complete: a wait, where one waits for it, of its own thread rather than another; else
/// its instruction.
EventId TensorRepair::over(EventId x) const {
  EventId out = kNoEvent;
  for (const EventId access : accesses_of(x)) {
    for (const EventId wait : view_.completing_waits(access)) {
      const bool better = out == kNoEvent || (in_thread(wait, x) && !in_thread(out, x));
      if (better && !in_thread(wait, second_)) out = wait;
    }
  }
  return out == kNoEvent ? x : out;
}

/// Before what the second operation's thread could wait: its last fence::after_thread_sync, the instruction itself.
std::vector<EventId> TensorRepair::spots() const {
  std::vector<EventId> out;
  const EventId y = event(second_).issue;
  for (EventId e = y; e-- > 0 && out.empty();) {
    if (event(e).tensor.op == TensorOp::after && in_thread(e, y)) out.push_back(e);
  }
  out.push_back(y);
  return out;
}

/// Waits before the second operation for the object of some signal, but for another phase.
std::vector<EventId> TensorRepair::missed_waits(const std::vector<EventId>& signals) const {
  std::vector<EventId> out;
  for (EventId w = 0; w < event(second_).issue; ++w) {
    if (event(w).kind != EventKind::wait || !in_thread(w, second_)) continue;
    const bool misses = std::any_of(signals.begin(), signals.end(), [&](EventId signal) {
      return view_.same_object(signal, w) && !view_.met(signal, w);
    });
    if (misses) out.push_back(w);
  }
  std::reverse(out.begin(), out.end());
  keep_one_each(ask_.keys(), out);
  return out;
}

std::vector<EventId> TensorRepair::commits() const {
  std::vector<EventId> out;
  for (const auto& [access, signal] : graph_.tracked) {
    if (event(access).issue == event(first_).issue) out.push_back(event(signal).issue);
  }
  std::sort(out.begin(), out.end());
  keep_one_each(ask_.keys(), out);
  return out;
}

std::vector<EventId> TensorRepair::signals_of(EventId commit) const {
  std::vector<EventId> out;
  for (EventId e = 0; e < graph_.size(); ++e) {
    if (event(e).kind == EventKind::signal && event(e).issue == commit) out.push_back(e);
  }
  return out;
}

void TensorRepair::add_links(EventId arrival, EventId from, const std::vector<EventId>& signals,
                             std::vector<Link>& out) const {
  const std::uint32_t cta = graph_.threads[event(second_).thread].cta;
  Link link;
  link.arrival = arrival;
  link.from = from;
  link.far = arrival != kNoEvent && event(arrival).tensor.op == TensorOp::commit &&
             std::none_of(signals.begin(), signals.end(),
                          [&](EventId signal) { return event(signal).mbarrier->owner == cta; });
  for (const EventId wait : missed_waits(signals)) {
    out.push_back(link);
    out.back().wait = wait;
  }
  for (const EventId spot : spots()) {
    out.push_back(link);
    out.back().until = spot;
  }
}

std::vector<Link> TensorRepair::completions() const {
  std::vector<Link> out;
  const EventId x = event(first_).issue;
  const TensorOp op = event(x).tensor.op;
  if (op == TensorOp::alloc || op == TensorOp::dealloc) return out;
  if (waits_itself()) return {Link{kNoEvent, x}};
  for (const EventId commit : commits()) add_links(commit, x, signals_of(commit), out);
  add_links(kNoEvent, x, {}, out);
  return out;
}

std::vector<Link> TensorRepair::meetings() const {
  std::vector<Link> out;
  if (one_thread()) return out;
  const EventId from = over(event(first_).issue);
  std::vector<EventId> arrivals;
  for (EventId e = from + 1; e < graph_.size(); ++e) {
    if (event(e).kind == EventKind::arrival && event(e).mbarrier && in_thread(e, from)) arrivals.push_back(e);
  }
  keep_one_each(ask_.keys(), arrivals);
  for (const EventId e : arrivals) add_links(e, from, {e}, out);
  add_links(kNoEvent, from, {}, out);
  return out;
}

std::size_t TensorRepair::cost(const Link& link) {
  const bool waits_itself = link.wait == kNoEvent && link.until == kNoEvent;
  return waits_itself || link.arrival != kNoEvent ? 1 : 2;
}

Places TensorRepair::near_before() const {
  const EventId x = event(first_).issue, known = over(x);
  Places out{{x, true}};
  if (known == x) return out;
  for (EventId e = known + 1; e < graph_.size() && out.size() == 1; ++e) {
    if (event(e).tensor.op == TensorOp::after && in_thread(e, known)) out.push_back({e, true});
  }
  out.push_back({known, true});
  return out;
}

Places TensorRepair::near_after() const {
  Places out;
  std::vector<EventId> waits = view_.completing_waits(first_);
  keep_one_each(ask_.keys(), waits);
  for (const EventId wait : waits) {
    if (event(wait).kind == EventKind::wait) out.push_back({wait, true});
  }
  out.push_back({event(second_).issue, false});
  return out;
}

Places TensorRepair::all_before() const {
  Places out = near_before();
  std::vector<EventId> sources;
  for (EventId e = 0; e < graph_.size(); ++e) {
    const bool strong =
        event(e).kind == EventKind::write && event(e).labels.semantics != isa::Semantics::weak;
    if (event(e).kind == EventKind::arrival || (strong && event(e).issue == kNoEvent)) sources.push_back(e);
  }
  keep_one_each(ask_.keys(), sources);
  for (const EventId e : sources) out.push_back({e, false});
  return out;
}

Places TensorRepair::all_after() const {
  Places out = near_after();
  std::vector<EventId> targets;
  for (EventId e = 0; e < graph_.size(); ++e) {
    const bool strong = event(e).is_read() && event(e).labels.semantics != isa::Semantics::weak;
    if (event(e).kind == EventKind::wait || (strong && event(e).issue == kNoEvent)) targets.push_back(e);
  }
  keep_one_each(ask_.keys(), targets);
  for (const EventId e : targets) out.push_back({e, true});
  return out;
}

/// Which of its thread's turns it is, of how many.
std::pair<std::size_t, std::size_t> TensorRepair::turn_number(const Turns& turns, EventId turn) const {
  std::size_t number = 0, count = 0;
  for (const EventId other : turns) {
    if (!in_thread(other, turn)) continue;
    if (other < turn) ++number;
    ++count;
  }
  return {number, count};
}

/// Turn by turn where both have several in two threads: the same ones, or each with the one after it.
std::vector<std::size_t> TensorRepair::shifts() const {
  const auto [x, firsts] = turn_number(xs_, event(first_).issue);
  const auto [y, seconds] = turn_number(ys_, event(second_).issue);
  if (one_thread() || firsts < 2 || seconds < 2) return {0};
  return y > x ? std::vector<std::size_t>{1, 0} : std::vector<std::size_t>{0, 1};
}

std::vector<std::pair<EventId, EventId>> TensorRepair::pairs(std::size_t shift) const {
  std::vector<std::pair<EventId, EventId>> out;
  for (const EventId x : xs_) {
    for (const EventId y : ys_) {
      const auto [i, firsts] = turn_number(xs_, x);
      const auto [j, seconds] = turn_number(ys_, y);
      const bool by_turn = firsts > 1 && seconds > 1;
      if (in_thread(x, y) ? x < y : !by_turn || j == i + shift) out.emplace_back(x, y);
    }
  }
  return out;
}

/// Waits for objects number first_object + i, of xs_[i].
void TensorRepair::wait(const Link& link, std::size_t shift, std::uint32_t first_object,
                        Hypothesis& out) const {
  for (const auto& [x, y] : pairs(shift)) {
    const EventId at = last_before(link.wait != kNoEvent ? link.wait : link.until, y);
    if (at == kNoEvent || (in_thread(at, x) && at < x)) continue;
    const auto object =
        first_object + static_cast<std::uint32_t>(std::find(xs_.begin(), xs_.end(), x) - xs_.begin());
    const bool arrives = std::any_of(out.inserted.begin(), out.inserted.end(),
                                     [&](const Insertion& insertion) { return insertion.object == object; });
    if (arrives) out.inserted.push_back(phase_wait(graph_, at, scope(), object));
  }
}

void TensorRepair::complete(const TensorRemedy& remedy, Hypothesis& out) const {
  const Link& link = *remedy.completion;
  for (std::size_t i = 0; i < xs_.size(); ++i) {
    const auto object = static_cast<std::uint32_t>(i + 1);
    if (waits_itself()) {
      out.inserted.push_back(tensor_wait(xs_[i], accesses_of(xs_[i])));
    } else if (link.arrival == kNoEvent) {
      out.inserted.push_back(tensor_commit(xs_[i], accesses_of(xs_[i]), object));
    } else if (const EventId commit = next_behind(link.arrival, xs_[i]); commit != kNoEvent) {
      out.inserted.push_back(commit_signal(commit, accesses_of(xs_[i]), object));
    }
  }
  if (!waits_itself()) wait(link, remedy.shift, 1, out);
}

void TensorRepair::meet(const TensorRemedy& remedy, Hypothesis& out) const {
  const Link& link = *remedy.meeting;
  const auto first_object = static_cast<std::uint32_t>(xs_.size() + 1);
  for (std::size_t i = 0; i < xs_.size(); ++i) {
    const EventId from = over(xs_[i]);
    const EventId at = link.arrival == kNoEvent ? from : next_behind(link.arrival, from);
    if (at == kNoEvent) continue;
    out.inserted.push_back(arrival(graph_, at, scope(), first_object + static_cast<std::uint32_t>(i)));
  }
  wait(link, remedy.shift, first_object, out);
}

void TensorRepair::fence(const Places& places, TensorOp half, Hypothesis& out) const {
  for (const TensorStory::Place& place : places) {
    for (const EventId e : alike(place.at)) out.inserted.push_back(tensor_fence(e, place.behind, half));
  }
}

// In the order in which what is put in by one instruction stands there: complete, fence, arrive; wait, fence.
Hypothesis TensorRepair::build(const TensorRemedy& remedy) const {
  Hypothesis out{ask_.with(remedy.aspects), {}, {}, {}};
  if (remedy.completion) complete(remedy, out);
  fence(remedy.before, TensorOp::before, out);
  if (remedy.meeting) meet(remedy, out);
  fence(remedy.after, TensorOp::after, out);
  return out;
}

Hypothesis TensorRepair::moved_behind() const {
  Hypothesis out{ask_.no_steps(), {}, {}, {}};
  const EventId x = xs_.back();
  if (waits_itself()) {
    out.inserted.push_back(tensor_wait(x, accesses_of(x)));
  } else {
    out.inserted.push_back(tensor_commit(x, accesses_of(x), 1));
    out.inserted.push_back(phase_wait(graph_, x, scope(), 1));
    out.inserted.back().behind = true;
    out.inserted.push_back(tensor_fence(x, true, TensorOp::after));
  }
  for (const EventId y : ys_) out.moved.emplace_back(y, x);
  return out;
}

}  // namespace ptxmc::check

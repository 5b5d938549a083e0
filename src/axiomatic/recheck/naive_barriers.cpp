// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/recheck/naive_barriers.h"

#include <algorithm>

#include "axiomatic/event/barriers.h"

namespace ptxmc::check {

using event::Event;
using event::EventId;
using event::EventKind;
using event::kNoEvent;
using event::MbarrierOp;
using event::ThreadId;
using event::Value;

BarrierProgram::BarrierProgram(const event::ProgramGraph& graph, const event::Execution& execution,
                               NaiveValues& values)
    : graph_(graph), execution_(execution), values_(values) {
  std::map<ObjectName, std::size_t> numbers;
  for (EventId e = 0; e < graph_.size(); ++e) {
    if (!takes_part(e)) continue;
    related.insert(e);
    if (is_bar(e) && waits_at_bar(e)) related.insert(event(e).barrier->wait);
    hopeless = hopeless || blocked(e);
    if (!is_signal(e)) programs[event(e).thread].push_back(e);
    if (event(e).kind == EventKind::issue) continue;
    const auto [place, fresh] = numbers.try_emplace(name_of(e), objects.size());
    if (fresh) objects.push_back({place->first, {}});
    object_of[e] = place->second;
    if (is_signal(e)) signals.push_back(e);
    if (event(e).barrier) add_participants(e, objects[place->second]);
  }
}

bool BarrierProgram::exists(EventId e) const {
  return e != kNoEvent && execution_.exists.test(e);
}

bool BarrierProgram::waits(EventId e) const {
  const bool kind = event(e).kind == EventKind::wait || event(e).kind == EventKind::end;
  return kind && !is_bar(e);
}

bool BarrierProgram::blocked(EventId e) const {
  if (event(e).kind == EventKind::end) return true;
  return is_bar(e) && waits_at_bar(e) && !exists(event(e).barrier->wait);
}

Value BarrierProgram::arrivals(EventId e) const {
  const event::Mbarrier& it = *event(e).mbarrier;
  if (it.count) return value(*it.count);
  return it.op == MbarrierOp::arrive || it.op == MbarrierOp::arrive_drop ? 1 : 0;
}

ObjectName BarrierProgram::name_of(EventId e) const {
  const Event& it = event(e);
  if (it.mbarrier) return {3, it.mbarrier->owner, value(it.mbarrier->object)};
  const event::ThreadInfo& info = graph_.threads[it.thread];
  if (it.barrier->cluster) return {2, info.cluster};
  if (of_pair(*it.barrier)) return {4, it.barrier->instance, turn_of_pair(e)};
  if (it.barrier->warp) {
    // A thread without a warp number is one of its own. Exchanges of one kind meet each other.
    ObjectName name{1, info.cta, value(it.barrier->id), it.barrier->instance_first, it.barrier->instance};
    name.push_back(info.warp ? *info.warp : -1);
    if (!info.warp) name.push_back(it.thread);
    return name;
  }
  const Value label = it.barrier->instance_first ? it.barrier->instance : 0;
  return {0, info.cta, value(it.barrier->id), it.barrier->instance_first, label};
}

/// The n-th time that one CTA of a pair executes it, it meets the n-th of the other.
Value BarrierProgram::turn_of_pair(EventId e) const {
  Value turn = 0;
  for (EventId earlier = 0; earlier < e; ++earlier) {
    const Event& it = event(earlier);
    if (it.kind != event(e).kind || !it.barrier || !of_pair(*it.barrier) || !exists(earlier)) continue;
    const bool same_cta = graph_.threads[it.thread].cta == graph_.threads[event(e).thread].cta;
    if (same_cta && it.barrier->instance == event(e).barrier->instance) ++turn;
  }
  return turn;
}

bool BarrierProgram::takes_part(EventId e) const {
  const Event& it = event(e);
  if (!exists(e)) return false;
  if (it.kind == EventKind::issue) {
    return std::any_of(graph_.events.begin(), graph_.events.end(), [e](const Event& other) {
      return other.kind == EventKind::signal && other.issue == e;
    });
  }
  if (it.mbarrier) return true;
  return it.barrier && (it.barrier->cluster || it.kind == EventKind::arrival);
}

void BarrierProgram::add_participants(EventId e, Object& object) {
  object.participants.insert(event(e).thread);
  const event::ThreadInfo& here = graph_.threads[event(e).thread];
  for (ThreadId t = 0; t < graph_.threads.size(); ++t) {
    const event::ThreadInfo& there = graph_.threads[t];
    if (there.host) continue;
    if (event(e).barrier->cluster) {
      if (there.cluster == here.cluster) object.participants.insert(t);
    } else if (!event(e).barrier->instance_first && !of_pair(*event(e).barrier) && there.cta == here.cta) {
      const auto mask = static_cast<std::uint32_t>(value(event(e).barrier->id));
      const bool meets =
          !event(e).barrier->warp || (here.warp && here.warp == there.warp && (there.lanes & mask) != 0);
      if (meets) object.participants.insert(t);
    }
  }
  // Who would come here, but never gets that far.
  for (EventId other = 0; other < graph_.size() && !graph_.hangs.empty() && is_bar(e); ++other) {
    const Event& it = event(other);
    if (it.kind != EventKind::arrival || !is_bar(other) || ends(it.thread)) continue;
    if (graph_.exprs.is_constant(it.barrier->id) && name_of(other) == object.name)
      object.participants.insert(it.thread);
  }
}

bool BarrierProgram::ends(ThreadId t) const {
  if (graph_.hangs.empty()) return true;
  for (EventId e = 0; e < graph_.size(); ++e) {
    if (event(e).thread == t && exists(e) && event::is_thread_end(graph_, e)) return true;
  }
  return false;
}

std::vector<std::set<ThreadId>> BarrierProgram::groups() const {
  std::vector<std::set<ThreadId>> users(objects.size());
  for (const auto& [e, object] : object_of) users[object].insert(event(e).thread);
  for (std::size_t o = 0; o < objects.size(); ++o) {
    users[o].insert(objects[o].participants.begin(), objects[o].participants.end());
  }
  std::vector<std::set<ThreadId>> result;
  for (std::set<ThreadId> threads : users) {
    for (auto other = result.begin(); other != result.end();) {
      const bool meets =
          std::any_of(other->begin(), other->end(), [&](ThreadId t) { return threads.contains(t); });
      if (meets) threads.insert(other->begin(), other->end());
      other = meets ? result.erase(other) : std::next(other);
    }
    result.push_back(std::move(threads));
  }
  return result;
}

}  // namespace ptxmc::check

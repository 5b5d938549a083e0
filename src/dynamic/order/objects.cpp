// SPDX-License-Identifier: Apache-2.0
#include "dynamic/order/objects.h"

#include <algorithm>

namespace ptxmc::trace {
namespace {

constexpr std::size_t kRecordsKept = 256;  // phases that a wait may lag behind

}  // namespace

ObjectId Objects::find(Address at) {
  const auto [found, fresh] = ids_.try_emplace(at, static_cast<ObjectId>(objects_.size()));
  if (fresh) {
    objects_.emplace_back();
    objects_.back().at = at;
  }
  return found->second;
}

ObjectId Objects::add_agent() {
  objects_.emplace_back();
  return static_cast<ObjectId>(objects_.size() - 1);
}

void Objects::init(Site site, Thread thread, Address at) {
  const std::uint32_t lane = 1U << (thread % kLanes);
  if (const auto known = ids_.find(at); known != ids_.end()) {  // lanes of one instruction make one object
    Object& same = objects_[known->second];
    if (same.site == site && same.init.warp == thread / kLanes && (same.init.mask & lane) == 0 &&
        same.init.mask != 0 && same.init.time == threads_.stamp(thread / kLanes)) {
      same.init.mask |= lane;
      return;
    }
  }
  ids_.erase(at);
  Object& object = objects_[find(at)];
  object.site = site;
  unpublished_.push_back(ids_.at(at));
  object.init = {Agent::thread, thread / kLanes, 1U << (thread % kLanes), 0, threads_.stamp(thread / kLanes)};
}

bool Objects::adopt(Site site, Address at) {
  if (ids_.contains(at)) return false;
  objects_[find(at)].site = site;
  return true;
}

void Objects::publish(Lanes lanes) {
  std::erase_if(unpublished_, [&](ObjectId id) {
    Object& object = objects_[id];
    if (object.init.warp != lanes.warp || (object.init.mask & lanes.mask) == 0) return false;
    object.published = object.init;
    object.published->time = threads_.stamp(lanes.warp);
    return true;
  });
  threads_.tick(lanes.warp);
}

Finding Objects::finding_of(RuleId rule, const Object& object, Site site, Thread thread) const {
  Finding finding;
  finding.rule = rule;
  finding.first = {object.site, object.init.warp * kLanes, Effect::write};
  if (object.init.mask != 0) finding.first.thread += static_cast<Thread>(std::countr_zero(object.init.mask));
  finding.second = {site, thread};
  finding.bytes = {object.at, kBytes};
  finding.cause.missing =
      rule == RuleId::mbarrier_init_unfenced ? Missing::init_fence : Missing::synchronization;
  return finding;
}

Finding Objects::stale_poll(const Object& object, Site site, Thread thread, Phase phase) const {
  Finding out = finding_of(RuleId::stale_poll, object, site, thread);
  out.phase = {object.at, phase};
  return out;
}

std::optional<Finding> Objects::wait_before_first(ObjectId object, Phase phase, Thread thread) const {
  const auto wait = before_first_.find({object, thread});
  if (phase != 0 || wait == before_first_.end()) return std::nullopt;
  return stale_poll(objects_[object], wait->second, thread, phase);
}

// D24: an init is visible to what it precedes, through a fence.mbarrier_init also around relaxed synchronization.
bool Objects::is_ready(const Object& object, Thread thread, const Epoch& init) const {
  return threads_.knows(thread, OrderKind::base, init) ||
         threads_.knows(thread, OrderKind::init_release, init) ||
         restricted_.precedes(init, thread, object.at);
}

// R193.
void Objects::check_init(Object& object, Site site, Thread thread) {
  if (object.init.mask == 0 || is_ready(object, thread, object.init)) return;
  report(RuleId::mbarrier_uninitialised, object, site, thread);
}

Objects::Record& Objects::record(Object& object, Phase phase) {
  if (object.records.size() >= kRecordsKept && !object.records.contains(phase)) {
    const auto oldest = object.records.begin();
    if (oldest->second.tracks) object.tracked = static_cast<Time>(oldest->first + 1);
    object.records.erase(oldest);
  }
  return object.records[phase];
}

void Objects::arrive(const Arrival& arrival) {
  const ObjectId id = find(arrival.object);
  Object& object = objects_[id];
  check_init(object, arrival.site, arrival.thread);
  use(object, arrival.site, lane_of(arrival.thread));
  if (phases(arrival.thread, id) < arrival.phase)
    report(RuleId::phase_not_confluent, object, arrival.site, arrival.thread);
  Record& record = this->record(object, arrival.phase);
  if (arrival.count != 0) add_arrival(record, arrival.thread, arrival.site, Part::arrival, arrival.bytes);
  record.tracks = record.tracks || arrival.bytes != 0;
  if (arrival.count == 0 && arrival.bytes > 0) expect(object, arrival);
  if (arrival.no_complete)
    require(object, arrival.phase,
            {RuleId::mbarrier_no_complete, arrival.site, now(lane_of(arrival.thread))});
  release_sequences_.add_fenced(arrival.thread, record.others);
  if (arrival.count == 0) {
    tell_execution(record, arrival.thread);  // the phase may end without it
  } else {
    tell_issue(record, arrival.thread);
  }
  ExecutionKnowledge told{threads_.tensor().sent(arrival.thread), arrival.thread, arrival.strength.scope,
                          readings_.remote_arrivals_reach, arrival.scope_is_default};
  add_signal(record.signals, told);
  told.what = threads_.told_inits(lane_of(arrival.thread));
  add_signal(record.inits, told);
  if (!releases(arrival.strength.semantics)) return;
  record.released.emplace_back(
      threads_.snapshot(arrival.thread),
      ReleaseClock{nullptr, arrival.thread, arrival.strength.scope, arrival.site, false,
                   arrival.scope_is_default, readings_.remote_arrivals_reach});
  threads_.tick(arrival.thread / kLanes);
}

// 8.9.1.1: the completion carries no history of the thread.
void Objects::arrive_behind(const Arrival& arrival, const ClockRef& told) {
  Object& object = objects_[find(arrival.object)];
  check_init(object, arrival.site, arrival.thread);
  use(object, arrival.site, lane_of(arrival.thread));
  Record& record = this->record(object, arrival.phase);
  tell_issue(record, arrival.thread);
  add_signal(record.inits,
             {threads_.told_inits(lane_of(arrival.thread)), arrival.thread, isa::Scope::sys, true});
  if (arrival.count != 0) {
    add_arrival(record, arrival.thread, arrival.site, Part::arrival, arrival.bytes);
  } else {
    expect(object, arrival);  // one arrival more, which this is
  }
  record.tracks = true;
  if (told == nullptr) return;
  record.others.push_back({told, arrival.thread, isa::Scope::sys, arrival.site, true});
  add_signal(record.signals, {tensor_part(told), arrival.thread, isa::Scope::sys, true});
}

/// Those that the same waits see are one.
void Objects::add_signal(std::vector<ExecutionKnowledge>& signals, const ExecutionKnowledge& signal) const {
  if (signal.what == nullptr) return;
  for (ExecutionKnowledge& other : signals) {
    if (other.everywhere != signal.everywhere || other.scope != signal.scope ||
        other.scope_is_default != signal.scope_is_default ||
        threads_.place(other.thread).cta != threads_.place(signal.thread).cta)
      continue;
    other.what = join(other.what, signal.what);
    return;
  }
  signals.push_back(signal);
}

/// What tells which phases are over.
void Objects::tell_execution(Record& record, Thread thread) {
  record.executed = join(record.executed, threads_.told_by_execution(lane_of(thread)));
}

/// That the phase is over tells that its arrivals were executed, and its operations issued: what their threads did and knew
/// before has happened, too.
void Objects::tell_issue(Record& record, Thread thread) {
  const Snapshot snapshot = threads_.snapshot(thread);
  record.executed = join(record.executed, executed(join(std::span(&snapshot, 1))));
  tell_execution(record, thread);
  threads_.tick(thread / kLanes);
}

ObjectId Objects::track(const Operation& operation) {
  const ObjectId id = find(operation.object);
  Object& object = objects_[id];
  check_init(object, operation.site, operation.issuer);
  use(object, operation.site, lane_of(operation.issuer));
  std::uint64_t bytes = 0;
  for (const Range& range : operation.writes) bytes += range.bytes;
  add_arrival(record(object, operation.phase), operation.issuer, operation.site, Part::operation,
              static_cast<std::int64_t>(bytes));
  record(object, operation.phase).tracks = true;
  tell_issue(record(object, operation.phase), operation.issuer);
  add_signal(record(object, operation.phase).inits,
             {threads_.told_inits(lane_of(operation.issuer)), operation.issuer, isa::Scope::sys, true});
  if (object.init.mask == 0) return id;
  const bool published = object.published && is_ready(object, operation.issuer, *object.published);
  if (!published && operation.proxy == isa::Proxy::async && !readings_.inits_reach)
    report(RuleId::mbarrier_init_unfenced, object, operation.site, operation.issuer);
  return id;
}

// Operations of the same objects count to their phases in the order of issue, so that those of one phase are side by
// side.
Objects::Shared Objects::share(std::span<const Signal> signals) {
  std::vector<ObjectId> ids;
  for (const Signal& signal : signals) ids.push_back(find(signal.object));
  std::sort(ids.begin(), ids.end());
  auto found = shared_.find(ids);
  if (found == shared_.end()) found = shared_.emplace(ids, Shared{add_agent(), 0}).first;
  Shared& shared = found->second;
  ++shared.time;
  for (const Signal& signal : signals) tell(signal, {shared.agent, shared.time - 1, shared.time});
  return shared;
}

void Objects::tell(const Signal& signal, const Knowledge::Apart& times) {
  advance(times.object, times.last);
  std::vector<Knowledge::Apart>& told = record(objects_[find(signal.object)], signal.phase).shared;
  const auto known =
      std::find_if(told.begin(), told.end(), [&](const auto& other) { return other.object == times.object; });
  if (known == told.end()) {
    told.push_back(times);
  } else {
    known->last = times.last;
  }
}

void Objects::complete(Address at, Phase phase) {
  Object& object = objects_[find(at)];
  check_end(object, phase);
  tell_shared(record(object, phase));
  object.completed = std::max(object.completed, static_cast<Time>(phase + 1));
}

/// A thread that waits for the phase, be it relaxed, knows that these are over.
void Objects::tell_shared(Record& record) {
  if (record.shared.empty()) return;
  ClockEdit edit(record.executed);
  for (const Knowledge::Apart& times : record.shared) edit.plane(OrderKind::execution).raise_object(times);
  record.executed = edit.take();
}

void Objects::slip(Address at, Phase phase) {
  Record& record = this->record(objects_[find(at)], phase);
  std::erase_if(record.arrivals, [](const Arrived& one) { return one.part == Part::operation; });
  record.shared.clear();
  record.tracks = false;
}

Epoch Objects::now(Lanes lanes) {
  return {Agent::thread, lanes.warp, lanes.mask, 0, threads_.stamp(lanes.warp)};
}

void Objects::add_arrival(Record& record, Thread thread, Site site, Part part, std::int64_t bytes) {
  const Lanes lane = lane_of(thread);
  record.arrivals.push_back({threads_.clock(thread), thread, threads_.stamp(lane.warp), site, part, bytes});
  const Epoch epoch = now(lane);
  if (!record.arrived.empty() && record.arrived.back().warp == epoch.warp &&
      record.arrived.back().time == epoch.time) {
    record.arrived.back().mask |= epoch.mask;
  } else {
    record.arrived.push_back(epoch);
  }
}

/// That are over whenever the thread goes on from here: it was told, or it knows of all their arrivals.
Time Objects::phases(Thread thread, ObjectId id) const {
  const Object& object = objects_[id];
  Time known = threads_.phases(thread, id);
  for (; known < object.completed; ++known) {
    const auto record = object.records.find(known);
    if (record == object.records.end() || record->second.tracks) break;
    const auto happened = [&](const Epoch& arrival) {
      return threads_.knows(thread, OrderKind::base, arrival) ||
             threads_.knows(thread, OrderKind::execution, arrival);
    };
    const std::vector<Epoch>& arrived = record->second.arrived;
    if (!std::all_of(arrived.begin(), arrived.end(), happened)) break;
  }
  return known;
}

Time Objects::tracked_before(const Object& object, Phase phase) {
  for (auto record = object.records.lower_bound(phase); record != object.records.begin();) {
    --record;
    if (record->second.tracks) return static_cast<Time>(record->first + 1);
  }
  return object.tracked;
}

const MessageRef& Objects::message(ObjectId id, Phase phase) {
  Record& record = this->record(objects_[id], phase);
  if (record.message != nullptr) return record.message;
  auto message = std::make_shared<ReleaseSequence>();
  message->linked = false;
  message->deposits = record.others;
  // Those of one scope and thread block are taken by the same waits.
  std::vector<bool> joined(record.released.size());
  for (std::size_t i = 0; i < record.released.size(); ++i) {
    if (joined[i]) continue;
    const ReleaseClock& first = record.released[i].second;
    std::vector<Snapshot> same;
    for (std::size_t j = i; j < record.released.size(); ++j) {
      const ReleaseClock& other = record.released[j].second;
      if (other.scope != first.scope || other.scope_is_default != first.scope_is_default ||
          threads_.place(other.thread).cta != threads_.place(first.thread).cta)
        continue;
      same.push_back(record.released[j].first);
      joined[j] = true;
    }
    message->deposits.push_back(
        {join(same), first.thread, first.scope, first.site, false, first.scope_is_default, first.reaches});
  }
  // What the phase tracks is over. It tells nothing of those before it: who waits for it may have waited for them without
  // acquiring.
  ClockEdit edit(nullptr);
  Knowledge& base = edit.plane(OrderKind::base);
  if (record.tracks)
    base.raise_object({id, tracked_before(objects_[id], phase), static_cast<Time>(phase + 1)});
  for (const Knowledge::Apart& times : record.shared) base.raise_object(times);
  message->deposits.push_back({edit.take(), 0, isa::Scope::sys, 0, true});
  record.released = {};
  record.message = message;
  return record.message;
}

/// Do the scopes of the two include each other, or did they, were default ones wide enough for an object of another CTA (A7)?
Objects::Heard Objects::heard(const ExecutionKnowledge& signal, Lanes lanes, const Wait& wait) const {
  const Placement &there = threads_.place(signal.thread), &here = threads_.place_of_warp(lanes.warp);
  const auto widened = [](isa::Scope scope, bool is_default) {
    return is_default ? std::max(scope, isa::Scope::cluster) : scope;
  };
  if (signal.everywhere || include_each_other(signal.scope, there, wait.strength.scope, here))
    return Heard::yes;
  return include_each_other(widened(signal.scope, signal.scope_is_default), there,
                            widened(wait.strength.scope, wait.scope_is_default), here)
             ? Heard::by_default_scope
             : Heard::no;
}

/// What a signal tells of tensor memory.
void Objects::hear(const ExecutionKnowledge& signal, Lanes lanes, const Wait& wait) {
  const Heard heard = this->heard(signal, lanes, wait);
  if (heard == Heard::no) return;
  for_threads(lanes, [&](Thread thread) {
    if (heard == Heard::yes) {
      threads_.tensor().signal(thread, signal.what);
    } else {
      threads_.tensor().signal_remote(thread, signal.what);
    }
  });
}

void Objects::gain(ObjectId id, Lanes lanes, Time phases, const Wait& wait) {
  const MessageRef& message = this->message(id, phases - 1);
  threads_.learn(lanes, record(objects_[id], phases - 1).executed);
  threads_.learn_execution(lanes, id, phases);
  for (const ExecutionKnowledge& signal : record(objects_[id], phases - 1).signals) hear(signal, lanes, wait);
  for (const ExecutionKnowledge& inits : record(objects_[id], phases - 1).inits) {
    if (heard(inits, lanes, wait) != Heard::no) threads_.learn(lanes, inits.what);
  }
  for (const MessageRef& read : record(objects_[id], phases - 1).read)
    for_threads(lanes, [&](Thread thread) { release_sequences_.observe_completed(wait.site, thread, read); });
  // What the scope of the wait leaves out, a fence after it may take.
  if (acquires(wait.strength.semantics) &&
      release_sequences_.acquire(
          wait.site, lanes, wait.strength.scope, message,
          wait.scope_is_default ? ReleaseSequences::By::wait_of_default_scope : ReleaseSequences::By::wait))
    return;
  for_threads(
      lanes, [&](Thread thread) { release_sequences_.observe(wait.site, thread, objects_[id].at, message); });
}

Time Objects::phases_behind(const Wait& wait, Time known) {
  return wait.by_parity ? known + (known % 2 == wait.expected % 2 ? 1 : 0)
                        : static_cast<Time>(wait.expected + 1);
}

Time Objects::awaited(const Wait& wait, Thread thread) const {
  const auto known = ids_.find(wait.object);
  return phases_behind(wait, known == ids_.end() ? 0 : phases(thread, known->second));
}

void Objects::wait(const Wait& wait) {
  const ObjectId id = find(wait.object);
  use(objects_[id], wait.site, wait.lanes);
  if (!wait.succeeded) return;
  std::map<Time, std::uint32_t> gained;  // lanes by the phases that they know after it
  std::map<Time, std::uint32_t> ready;   // the same of all of them
  for_threads(wait.lanes, [&](Thread thread) {
    check_init(objects_[id], wait.site, thread);
    const Time known = this->phases(thread, id);
    const Time phases = phases_behind(wait, known);
    ready[phases] |= 1U << (thread % kLanes);
    // That a phase is over may have been known without what its arrivals release.
    if (phases > 0) gained[phases] |= 1U << (thread % kLanes);
    if (phases == known && known > 0) findings_.add(stale_poll(objects_[id], wait.site, thread, known));
    if (phases == 0) before_first_[{id, thread}] = wait.site;
  });
  for (const auto& [phases, mask] : gained) gain(id, {wait.lanes.warp, mask}, phases, wait);
  // A parity comes again: it must be there until the wait has seen it. A state is none to wait for later (R217).
  for (const auto& [phases, mask] : ready)
    require(objects_[id], phases, {RuleId::wait_overtaken, wait.site, now({wait.lanes.warp, mask})});
}

void Objects::use(Object& object, Site site, Lanes lanes) {
  for (Use& before : object.uses) {
    if (before.epoch.warp == lanes.warp) before.epoch.mask &= ~lanes.mask;
  }
  std::erase_if(object.uses, [](const Use& before) { return before.epoch.mask == 0; });
  object.uses.push_back({now(lanes), site});
}

// R193: every thread that uses the object has done so, in whatever order, and what completes on it has
// completed.
void Objects::invalidate(Site site, Thread thread, Address at) {
  const auto found = ids_.find(at);
  if (found == ids_.end()) return;
  const Object& object = objects_[found->second];
  constexpr OrderKind kOrders[] = {OrderKind::base, OrderKind::execution, OrderKind::passed,
                                   OrderKind::exchange, OrderKind::remote};
  const Place inval{site, thread, Effect::write};
  for (const Use& use : object.uses) {
    for_threads({use.epoch.warp, use.epoch.mask}, [&](Thread user) {
      Epoch epoch = use.epoch;
      epoch.mask = lane_of(user).mask;
      const bool over = user == thread ||
                        std::any_of(std::begin(kOrders), std::end(kOrders),
                                    [&](OrderKind plane) { return threads_.knows(thread, plane, epoch); });
      if (!over) report_invalidated(object, {use.site, user, Effect::update}, inval);
    });
  }
  for (const auto& [phase, record] : object.records) {
    const bool over = !record.tracks || phases(thread, found->second) > phase;
    if (over || record.arrivals.empty()) continue;
    const Arrived& last = record.arrivals.back();
    report_invalidated(object, {last.site, last.thread, Effect::update, isa::Proxy::generic, true}, inval);
  }
  ids_.erase(found);
}

void Objects::report_invalidated(const Object& object, const Place& use, const Place& inval) {
  Finding finding;
  finding.rule = RuleId::mbarrier_invalidated;
  finding.first = use;
  finding.second = inval;
  finding.bytes = {object.at, kBytes};
  findings_.add(finding);
}

std::vector<Time> Objects::phases() const {
  std::vector<Time> out;
  for (const Object& object : objects_)
    out.push_back(object.completed + 1);  // what is under way ends, too (R232)
  return out;
}

std::optional<Place> Objects::live(Address at) const {
  for (Address begin = at < kBytes ? 0 : at - kBytes + 1; begin <= at; ++begin) {
    const auto found = ids_.find(begin);
    if (found == ids_.end()) continue;
    const Object& object = objects_[found->second];
    return Place{object.site,
                 object.init.warp * kLanes + static_cast<Thread>(std::countr_zero(object.init.mask | 1U)),
                 Effect::write};
  }
  return std::nullopt;
}

}  // namespace ptxmc::trace

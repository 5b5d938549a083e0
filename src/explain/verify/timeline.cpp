// SPDX-License-Identifier: Apache-2.0
#include "explain/verify/timeline.h"

#include <algorithm>
#include <bit>

namespace ptxmc::explain {

namespace {

constexpr std::size_t kMostCopies = 8;  // that a phase keeps
constexpr std::size_t kMostOwn = 8;     // warps of one role that are shown for themselves

std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
  constexpr std::uint64_t kPrime = 0x100000001b3;
  return (std::rotl(hash, 5) ^ value) * kPrime;
}

SyncObject mbarrier(trace::Address address) {
  return {SyncObject::Kind::mbarrier, address};
}
SyncObject barrier_of(trace::Barrier barrier, bool cluster) {
  return {cluster ? SyncObject::Kind::cluster : SyncObject::Kind::barrier,
          std::uint64_t{barrier.group} << 8U | barrier.id};
}

void add_copy(std::vector<PhaseCopy>& copies, const PhaseCopy& copy) {
  PhaseCopy* last = copies.empty() ? nullptr : &copies.back();
  const bool goes_on = last != nullptr && last->issuer == copy.issuer && last->writes == copy.writes &&
                       last->bytes.begin + last->bytes.bytes == copy.bytes.begin;
  if (goes_on) {
    last->bytes.bytes += copy.bytes.bytes;
    ++last->count;
  } else if (copies.size() < kMostCopies) {
    copies.push_back(copy);
  }
}

/// Copies one after the other that count to one phase are one mark.
void join_copies(std::vector<Mark>& marks) {
  std::vector<Mark> out;
  for (const Mark& mark : marks) {
    Mark* last = out.empty() ? nullptr : &out.back();
    const bool goes_on = last != nullptr && last->kind == MarkKind::copy && mark.kind == MarkKind::copy &&
                         last->object == mark.object && last->phase == mark.phase &&
                         last->serial + last->copies == mark.serial;
    if (goes_on) {
      ++last->copies;
    } else {
      out.push_back(mark);
    }
  }
  marks = std::move(out);
}

}  // namespace

TimelineRecorder::TimelineRecorder(const std::vector<trace::Finding>& findings) {
  for (const trace::Finding& finding : findings) {
    const auto& [first, second] = finding.in_order();
    pairs_.push_back({{first.site, first.thread, finding.bytes},
                      {second.site, second.thread, finding.bytes},
                      finding.late,
                      {},
                      {}});
    for (const trace::Site site : {finding.first.site, finding.second.site}) {
      if (sought_.size() <= site) sought_.resize(site + 1, 0);
      sought_[site] = 1;
    }
  }
}

void TimelineRecorder::start(std::span<const trace::Placement> warps) {
  out_.warps.assign(warps.begin(), warps.end());
  tracks_.resize(warps.size());
}

void TimelineRecorder::shared_memory(std::uint32_t cta, trace::Range window) {
  windows_.emplace_back(cta, window);
}

/// The same in every CTA.
std::uint64_t TimelineRecorder::relative(const SyncObject& object) const {
  if (object.kind != SyncObject::Kind::mbarrier) return object.at & 0xffU;
  for (const auto& [cta, window] : windows_) {
    if (overlap({object.at, 1}, window)) return object.at - window.begin;
  }
  return object.at;
}

/// Calls of the lanes of one warp, one after the other, are one mark.
Mark& TimelineRecorder::mark(MarkKind kind, trace::Site site, trace::Lanes lanes,
                             std::optional<SyncObject> object, trace::Phase phase) {
  WarpTrack& track = tracks_.at(lanes.warp);
  Thinned<Mark>& marks = track.marks[{kind, site}];
  Mark* newest = marks.newest();
  const bool same = newest != nullptr && track.latest == std::pair(kind, site) &&
                    (newest->lanes & lanes.mask) == 0 && newest->lanes < lanes.mask &&
                    newest->object == object && newest->phase == phase;
  if (same) {
    newest->lanes |= lanes.mask;
    return *newest;
  }
  track.latest = {kind, site};
  track.hash = mixed(mixed(track.hash, std::uint64_t{site} << 8U | static_cast<unsigned>(kind)),
                     object ? relative(*object) : 0);
  Mark out;
  out.step = out.begin = step_;
  out.serial = track.serial++;
  out.kind = kind;
  out.site = site;
  out.warp = lanes.warp;
  out.lanes = lanes.mask;
  out.object = object;
  out.phase = phase;
  return marks.add(out);
}

/// Is it an end of a pair? The second one, once the first was there, pins what is around it.
void TimelineRecorder::seek(trace::Site site, std::uint32_t warp, std::uint32_t mask, const auto& touches) {
  if (site >= sought_.size() || sought_[site] == 0) return;
  const auto is = [&](const Sought& sought) {
    return sought.site == site && sought.thread / trace::kLanes == warp &&
           (mask >> (sought.thread % trace::kLanes) & 1U) != 0 && touches(sought);
  };
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    Pair& pair = pairs_[i];
    if (pair.found) continue;
    Mark mark;
    mark.step = mark.begin = step_;
    mark.site = site;
    mark.warp = warp;
    mark.lanes = mask;
    mark.finding = i;
    mark.serial = tracks_.at(warp).serial;
    if (pair.begun && is(pair.second)) {
      mark.second = !pair.late;
      pair.begun->second = pair.late;
      pair.found = {*pair.begun, mark};
      for (WarpTrack& track : tracks_) {
        for (auto& [key, marks] : track.marks) marks.pin();
      }
      for (auto& [object, spans] : spans_) spans.pin();
    } else if (is(pair.first)) {
      pair.begun = mark;
    }
  }
}

void TimelineRecorder::access(const trace::Access& access) {
  ++step_;
  seek(access.site, access.lanes.warp, access.lanes.mask, [&](const Sought& sought) {
    const trace::Range all{access.begin[sought.thread % trace::kLanes],
                           std::uint64_t{access.bytes} * access.elements};
    return overlap(all, sought.bytes);
  });
  if (access.effect == trace::Effect::update)
    mark(MarkKind::atomic, access.site, access.lanes);
  else if (access.polls != nullptr)
    mark(MarkKind::poll, access.site, access.lanes);
}

void TimelineRecorder::fence(trace::Site site, trace::Lanes lanes, trace::Strength, isa::Space) {
  ++step_;
  mark(MarkKind::fence, site, lanes);
}
void TimelineRecorder::proxy_fence(const trace::ProxyFence& fence) {
  ++step_;
  mark(MarkKind::fence, fence.site, fence.lanes);
}
void TimelineRecorder::mbarrier_init_fence(trace::Site site, trace::Lanes lanes) {
  ++step_;
  mark(MarkKind::fence, site, lanes);
}

// ---- Phases ---------------------------------------------------------------------------------------------------

void TimelineRecorder::open_phase(const SyncObject& object, trace::Phase phase) {
  PhaseSpan span;
  span.object = object;
  span.phase = phase;
  span.begin = span.end = step_;
  spans_[object].add(std::move(span));
}

PhaseSpan* TimelineRecorder::phase_of(const SyncObject& object, trace::Phase phase) {
  PhaseSpan* newest = spans_[object].newest();
  return newest != nullptr && newest->phase == phase ? newest : nullptr;
}

void TimelineRecorder::meet(trace::Site site, trace::Lanes lanes, const SyncObject& object,
                            trace::Phase phase) {
  ++step_;
  if (phase_of(object, phase) == nullptr) open_phase(object, phase);
  phase_of(object, phase)->arrivals += lanes.count();
  mark(MarkKind::barrier, site, lanes, object, phase);
}

void TimelineRecorder::leave(trace::Site site, trace::Lanes lanes, const SyncObject& object,
                             trace::Phase phase) {
  ++step_;
  if (PhaseSpan* span = phase_of(object, phase)) {
    if (!span->over) span->end = step_;
    span->over = true;
  }
  WarpTrack& track = tracks_.at(lanes.warp);
  const auto known = track.marks.find({MarkKind::barrier, site});
  Mark* newest = known == track.marks.end() ? nullptr : known->second.newest();
  if (newest != nullptr && newest->phase == phase) newest->step = step_;
}

void TimelineRecorder::barrier_arrive(trace::Site site, trace::Lanes lanes, trace::Barrier barrier,
                                      trace::Phase phase) {
  meet(site, lanes, barrier_of(barrier, false), phase);
}
void TimelineRecorder::barrier_leave(trace::Site site, trace::Lanes lanes, trace::Barrier barrier,
                                     trace::Phase phase) {
  leave(site, lanes, barrier_of(barrier, false), phase);
}
void TimelineRecorder::cluster_arrive(trace::Site site, trace::Lanes lanes, trace::Barrier barrier,
                                      trace::Phase phase, isa::Semantics) {
  meet(site, lanes, barrier_of(barrier, true), phase);
}
void TimelineRecorder::cluster_leave(trace::Site site, trace::Lanes lanes, trace::Barrier barrier,
                                     trace::Phase phase, isa::Semantics) {
  leave(site, lanes, barrier_of(barrier, true), phase);
}

void TimelineRecorder::mbarrier_init(trace::Site site, trace::Thread thread, trace::Address object,
                                     std::uint32_t) {
  ++step_;
  completed_[object] = 0;
  mark(MarkKind::init, site, trace::lane_of(thread), mbarrier(object));
  open_phase(mbarrier(object), 0);
}
void TimelineRecorder::mbarrier_invalidate(trace::Site, trace::Thread, trace::Address object) {
  ++step_;
  completed_.erase(object);
  if (PhaseSpan* span = spans_[mbarrier(object)].newest()) {
    if (!span->over) span->end = step_;
    span->over = true;
  }
}

void TimelineRecorder::arrived(const trace::Arrival& arrival) {
  ++step_;
  const SyncObject object = mbarrier(arrival.object);
  if (phase_of(object, arrival.phase) == nullptr) open_phase(object, arrival.phase);
  PhaseSpan* span = phase_of(object, arrival.phase);
  span->arrivals += arrival.count;
  if (arrival.bytes > 0) span->bytes += static_cast<std::uint64_t>(arrival.bytes);
  mark(MarkKind::arrive, arrival.site, trace::lane_of(arrival.thread), object, arrival.phase);
}
void TimelineRecorder::mbarrier_arrive(const trace::Arrival& arrival) {
  arrived(arrival);
}
void TimelineRecorder::cp_async_arrive(const trace::Arrival& arrival) {
  arrived(arrival);
}

void TimelineRecorder::mbarrier_complete(trace::Address object, trace::Phase phase) {
  ++step_;
  completed_[object] = phase + 1;
  if (PhaseSpan* span = phase_of(mbarrier(object), phase)) {
    span->end = step_;
    span->over = true;
  }
  open_phase(mbarrier(object), phase + 1);
}

void TimelineRecorder::mbarrier_wait(const trace::Wait& wait) {
  ++step_;
  const auto [since, fresh] = waits_since_.try_emplace({wait.lanes.warp, wait.site}, step_);
  if (!wait.succeeded) return;
  // By parity: the last phase of it that is over, if any (9.7.12.15.16).
  const trace::Phase completed = completed_[wait.object];
  trace::Phase phase = wait.expected;
  if (wait.by_parity) phase = completed == 0 ? 0 : completed - 1;
  if (wait.by_parity && phase > 0 && (phase & 1U) != wait.expected) --phase;
  Mark& done = mark(MarkKind::wait, wait.site, wait.lanes, mbarrier(wait.object), phase);
  done.begin = since->second;
  done.step = step_;
  waits_since_.erase(since);
}

// ---- Copies ---------------------------------------------------------------------------------------------------

void TimelineRecorder::issue(const trace::Operation& operation) {
  ++step_;
  const trace::Lanes lane = trace::lane_of(operation.issuer);
  std::optional<SyncObject> object;
  if (operation.tracking == trace::Tracking::mbarrier) {
    object = mbarrier(operation.object);
    if (PhaseSpan* span = phase_of(*object, operation.phase)) {
      const bool writes = !operation.writes.empty();
      const auto& ranges = writes ? operation.writes : operation.reads;
      if (!ranges.empty()) {
        trace::Range all = ranges.front();
        for (const trace::Range& range : ranges) {
          const trace::Address end = std::max(all.begin + all.bytes, range.begin + range.bytes);
          all.begin = std::min(all.begin, range.begin);
          all.bytes = end - all.begin;
        }
        add_copy(span->copies, {operation.site, operation.issuer, all, writes});
      }
      ++span->all_copies;
    }
  }
  mark(MarkKind::copy, operation.site, lane, object, operation.phase);
  seek(operation.site, lane.warp, lane.mask, [&](const Sought& sought) {
    const auto hits = [&](const trace::Range& range) { return overlap(range, sought.bytes); };
    return std::any_of(operation.reads.begin(), operation.reads.end(), hits) ||
           std::any_of(operation.writes.begin(), operation.writes.end(), hits);
  });
}
void TimelineRecorder::commit_group(trace::Site site, trace::Thread thread, trace::Tracking) {
  ++step_;
  mark(MarkKind::commit, site, trace::lane_of(thread));
}
void TimelineRecorder::wait_group(trace::Site site, trace::Thread thread, trace::Tracking, std::uint32_t,
                                  bool) {
  ++step_;
  mark(MarkKind::group_wait, site, trace::lane_of(thread));
}
void TimelineRecorder::exit(trace::Site site, trace::Lanes lanes) {
  ++step_;
  mark(MarkKind::exit, site, lanes);
}

// ---- What is shown --------------------------------------------------------------------------------------------

Timeline TimelineRecorder::take() {
  std::vector<std::vector<Mark>> ends(tracks_.size());  // of pairs, by warp
  for (const Pair& pair : pairs_) {
    if (!pair.found) continue;
    for (const Mark& mark : {pair.found->first, pair.found->second}) ends[mark.warp].push_back(mark);
  }
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::vector<std::uint32_t>> classes;
  for (std::uint32_t warp = 0; warp < tracks_.size(); ++warp)
    classes[{tracks_[warp].hash, tracks_[warp].serial}].push_back(warp);
  for (auto& [key, warps] : classes) {
    // Warps with an access of a finding are shown for themselves; the rest stand after the first one.
    std::stable_partition(warps.begin(), warps.end(),
                          [&](std::uint32_t warp) { return !ends[warp].empty(); });
    std::size_t own = 0;
    while (own < std::min(warps.size(), kMostOwn) && !ends[warps[own]].empty()) ++own;
    for (std::size_t i = 0; i < std::max<std::size_t>(own, 1); ++i) {
      WarpRole role;
      role.warps = {warps[i]};
      for (std::size_t rest = std::max<std::size_t>(own, 1); i == 0 && rest < warps.size(); ++rest)
        role.warps.push_back(warps[rest]);
      for (const auto& [of, marks] : tracks_[warps[i]].marks) {
        for (const Mark& mark : marks.all()) role.marks.push_back(mark);
        role.counts.at(static_cast<std::size_t>(of.first)) += marks.count;
      }
      const auto before = [](const Mark& a, const Mark& b) {
        return std::tuple(a.begin, a.serial, a.kind) < std::tuple(b.begin, b.serial, b.kind);
      };
      std::stable_sort(role.marks.begin(), role.marks.end(), before);
      const auto same = [](const Mark& a, const Mark& b) { return a.serial == b.serial; };
      role.marks.erase(std::unique(role.marks.begin(), role.marks.end(), same), role.marks.end());
      join_copies(role.marks);
      role.marks.insert(role.marks.end(), ends[warps[i]].begin(), ends[warps[i]].end());
      std::stable_sort(role.marks.begin(), role.marks.end(), before);
      out_.roles.push_back(std::move(role));
    }
  }
  std::sort(out_.roles.begin(), out_.roles.end(),
            [](const WarpRole& a, const WarpRole& b) { return a.warps.front() < b.warps.front(); });
  for (const auto& [object, spans] : spans_) {
    std::vector<PhaseSpan> all = spans.all();
    std::stable_sort(all.begin(), all.end(),
                     [](const PhaseSpan& a, const PhaseSpan& b) { return a.begin < b.begin; });
    const auto same = [](const PhaseSpan& a, const PhaseSpan& b) { return a.begin == b.begin; };
    all.erase(std::unique(all.begin(), all.end(), same), all.end());
    for (PhaseSpan& span : all) {
      if (!span.over) span.end = step_;
    }
    out_.phases.emplace(object, std::move(all));
  }
  out_.steps = step_;
  return std::move(out_);
}

}  // namespace ptxmc::explain

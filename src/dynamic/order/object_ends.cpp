// SPDX-License-Identifier: Apache-2.0
// What must come before the end of a phase of an mbarrier object in all schedules, and whether it does: waits for the phase before it,
// bytes that it is to wait for, arrivals that do not complete it.
#include <algorithm>

#include "dynamic/order/objects.h"

namespace ptxmc::trace {
namespace {

/// In whatever order, be it none of memory: a completion tells that its operations were issued.
bool happened(const Clock& clock, const Epoch& epoch) {
  return clock.covers(OrderKind::base, epoch) || clock.covers(OrderKind::execution, epoch);
}

}  // namespace

/// What a phase waits for from now on, if it is not over by then: no thread waits for this alone.
void Objects::expect(Object& object, const Arrival& arrival) {
  const Lanes lane = lane_of(arrival.thread);
  Record& record = this->record(object, arrival.phase);
  const std::size_t number = record.arrivals.size();
  record.arrivals.push_back({threads_.clock(arrival.thread), arrival.thread, threads_.stamp(lane.warp),
                             arrival.site, Part::expectation, arrival.bytes});
  require(object, arrival.phase, {RuleId::phase_not_confluent, arrival.site, now(lane), number});
}

/// An arrival comes after it, or bytes that were expected before it, as not all operations that may come
/// first bring them.
bool Objects::is_held(const Record& record, std::size_t expectation) {
  const Arrived& own = record.arrivals[expectation];
  const auto epoch = [](const Arrived& one) {
    const Lanes lane = lane_of(one.thread);
    return Epoch{Agent::thread, lane.warp, lane.mask, 0, one.time};
  };
  const auto knows = [&](const Arrived& later, const Arrived& earlier) {
    return later.clock != nullptr && happened(*later.clock, epoch(earlier));
  };
  std::int64_t open = 0;
  for (std::size_t i = 0; i < record.arrivals.size(); ++i) {
    const Arrived& other = record.arrivals[i];
    if (i == expectation) continue;
    const bool same = other.thread == own.thread;
    const bool after = same ? i > expectation : knows(other, own);
    const bool before = same ? i < expectation : knows(own, other);
    if (other.part == Part::arrival && after) return true;
    if (other.part == Part::operation && !after) open -= other.bytes;
    if (other.part != Part::operation && before) open += other.bytes;
  }
  return open > 0;
}

void Objects::require(Object& object, Phase phase, const Earlier& earlier) {
  if (object.completed > phase) return report_end(object, earlier, earlier.epoch.mask, nullptr);
  std::vector<Earlier>& all = record(object, phase).earlier;
  const auto same = std::find_if(all.begin(), all.end(), [&](const Earlier& e) {
    return e.site == earlier.site && e.epoch.warp == earlier.epoch.warp && e.epoch.mask == earlier.epoch.mask;
  });
  if (same != all.end()) all.erase(same);
  all.push_back(earlier);
}

/// The lanes for which none of the phase's arrivals, after all of which it ends, comes after it.
std::uint32_t Objects::open_lanes(const Record& record, const Earlier& earlier) const {
  std::uint32_t open = earlier.epoch.mask;
  // A wait that has succeeded is over for any thread that its lane has met since, and for any that this one
  // tells.
  const bool waits = earlier.rule == RuleId::wait_overtaken;
  const auto precedes = [&](const Clock& clock, const Epoch& epoch) {
    return happened(clock, epoch) ||
           (waits && (clock.covers(OrderKind::exchange, epoch) || clock.covers(OrderKind::passed, epoch)));
  };
  const Clock* seen = nullptr;  // of the arrival before: lanes that know the same are one
  for (const Arrived& arrived : record.arrivals) {
    if (arrived.part == Part::expectation) continue;
    const bool itself = earlier.rule == RuleId::mbarrier_no_complete && arrived.site == earlier.site &&
                        arrived.time == earlier.epoch.time;
    const Lanes own = lane_of(arrived.thread);
    if (!itself && own.warp == earlier.epoch.warp && arrived.time >= earlier.epoch.time) open &= ~own.mask;
    Epoch one = earlier.epoch;
    const bool again = arrived.clock.get() == seen;
    seen = arrived.clock.get();
    for (std::uint32_t rest = again || seen == nullptr ? 0 : open; rest != 0; rest &= rest - 1) {
      one.mask = rest;
      if (precedes(*arrived.clock, one)) {
        open &= ~rest;
        break;
      }
      one.mask = rest & (~rest + 1);
      if (precedes(*arrived.clock, one)) open &= ~one.mask;
    }
    if (open == 0) break;
  }
  return open;
}

void Objects::check_end(Object& object, Phase phase) {
  Record& record = this->record(object, phase);
  const Arrived* last = record.arrivals.empty() ? nullptr : &record.arrivals.back();
  std::vector<std::uint32_t> open;
  bool alone = true;
  for (const Earlier& earlier : record.earlier) {
    open.push_back(earlier.expectation ? (is_held(record, *earlier.expectation) ? 0 : earlier.epoch.mask)
                                       : open_lanes(record, earlier));
    alone = alone && (earlier.rule != RuleId::wait_overtaken || open.back() == earlier.epoch.mask);
  }
  for (std::size_t i = 0; i < open.size(); ++i) {
    const bool waits = record.earlier[i].rule == RuleId::wait_overtaken;
    if (open[i] != 0) report_end(object, record.earlier[i], open[i], last, waits && alone);
  }
  record.earlier.clear();
  record.arrivals.clear();
}

void Objects::report_end(const Object& object, const Earlier& earlier, std::uint32_t lanes,
                         const Arrived* last, bool alone) {
  const Lanes open{earlier.epoch.warp, lanes};
  Finding finding;
  finding.rule = earlier.rule;
  finding.first = {earlier.site, open.thread(static_cast<unsigned>(std::countr_zero(lanes)))};
  finding.second = last == nullptr ? finding.first : Place{last->site, last->thread};
  finding.bytes = {object.at, kBytes};
  finding.family = object.site;
  finding.alone = alone;
  findings_.add(finding);
}

}  // namespace ptxmc::trace

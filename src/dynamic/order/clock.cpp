// SPDX-License-Identifier: Apache-2.0
#include "dynamic/order/clock.h"

#include <algorithm>

namespace ptxmc::trace {

Times::Row& Times::row(std::uint32_t warp) {
  if (rows_.empty()) first_ = warp;
  if (warp < first_) {
    // Who joins clocks from the last warp to the first does not move all of them for each.
    const std::uint32_t first = warp - std::min(warp, static_cast<std::uint32_t>(rows_.size() / 2));
    rows_.insert(rows_.begin(), first_ - first, Row{});
    first_ = first;
  }
  if (warp - first_ >= rows_.size()) rows_.resize(warp - first_ + 1);
  return rows_[warp - first_];
}

Time Times::least(std::uint32_t warp, std::uint32_t mask) const {
  const Row* found = find(warp);
  if (found == nullptr) return 0;
  const Row& row = *found;
  if (row.lanes == nullptr) return row.all;
  Time time = ~Time{0};
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1)
    time = std::min(time, (*row.lanes)[static_cast<unsigned>(std::countr_zero(rest))]);
  return time;
}

bool Times::covers(const Row& row, const LaneTimes& times) {
  if (row.lanes == nullptr) return row.all >= *std::max_element(times.begin(), times.end());
  if (row.lanes.get() == &times) return true;
  bool out = true;
  for (unsigned lane = 0; lane < kLanes; ++lane) out &= (*row.lanes)[lane] >= times[lane];
  return out;
}

bool Times::covers(const Times& other) const {
  for (std::uint32_t at = 0; at < other.rows_.size(); ++at) {
    const std::uint32_t warp = other.first_ + at;
    const Row &theirs = other.rows_[at], *ours = find(warp);
    if (theirs.lanes == nullptr) {
      if (!covers(warp, ~std::uint32_t{0}, theirs.all)) return false;
    } else if (ours == nullptr || !covers(*ours, *theirs.lanes)) {
      return false;
    }
  }
  return true;
}

void Times::raise(Lanes lanes, Time time) {
  if (time == 0) return;
  Row& at = row(lanes.warp);
  if (at.lanes == nullptr) {
    if (at.all >= time) return;
    if (lanes.mask == ~std::uint32_t{0}) {
      at.all = time;
      return;
    }
    at.lanes = std::make_shared<LaneTimes>();
    at.lanes->fill(at.all);
  } else if (least(lanes.warp, lanes.mask) >= time) {
    return;
  } else if (at.lanes.use_count() > 1) {  // another clock has it, too
    at.lanes = std::make_shared<LaneTimes>(*at.lanes);
  }
  LaneTimes& times = *at.lanes;
  for (std::uint32_t rest = lanes.mask; rest != 0; rest &= rest - 1) {
    Time& own = times[static_cast<unsigned>(std::countr_zero(rest))];
    own = std::max(own, time);
  }
  if (std::any_of(times.begin(), times.end(), [&](Time t) { return t != times.front(); })) return;
  at.all = times.front();
  at.lanes = nullptr;
}

void Times::join(Row& row, const Row& other) {
  if (row.lanes == other.lanes) {
    row.all = std::max(row.all, other.all);
    return;
  }
  LaneTimes times;
  bool agree = true;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    times[lane] = std::max(row.lanes == nullptr ? row.all : (*row.lanes)[lane],
                           other.lanes == nullptr ? other.all : (*other.lanes)[lane]);
    agree = agree && times[lane] == times[0];
  }
  row.all = times[0];
  row.lanes = agree ? nullptr : std::make_shared<LaneTimes>(times);
}

void Times::join(const Times& other) {
  const auto is_known = [](const Row& row) { return row.all != 0 || row.lanes != nullptr; };
  const auto begin = std::find_if(other.rows_.begin(), other.rows_.end(), is_known);
  if (begin == other.rows_.end()) return;
  const auto first = other.first_ + static_cast<std::uint32_t>(begin - other.rows_.begin());
  row(first + static_cast<std::uint32_t>(other.rows_.end() - begin) - 1);
  row(first);
  std::size_t to = first - first_;
  for (auto from = begin; from != other.rows_.end(); ++from) join(rows_[to++], *from);
}

void Knowledge::raise_object(Apart times) {
  if (times.object >= objects.size()) objects.resize(times.object + 1);
  Time& known = objects[times.object];
  if (times.last <= known) return;
  if (apart.empty() && times.first <= known) {
    known = times.last;
    return;
  }
  // Those that it meets become one with it.
  std::erase_if(apart, [&](const Apart& other) {
    if (other.object != times.object || other.first > times.last || other.last < times.first) return false;
    times.first = std::min(times.first, other.first);
    times.last = std::max(times.last, other.last);
    return true;
  });
  if (times.first <= known) {
    known = times.last;
  } else {
    apart.insert(std::upper_bound(apart.begin(), apart.end(), times), times);
  }
}

bool Knowledge::covers(const Apart& times) const {
  return phases(times.object) >= times.last || std::any_of(apart.begin(), apart.end(), [&](const Apart& own) {
           return own.object == times.object && own.first <= times.first && own.last >= times.last;
         });
}

bool Knowledge::covers(const Knowledge& other) const {
  for (ObjectId object = 0; object < other.objects.size(); ++object) {
    if (phases(object) < other.objects[object]) return false;
  }
  if (!std::all_of(other.apart.begin(), other.apart.end(), [&](const Apart& times) { return covers(times); }))
    return false;
  for (std::size_t agent = 0; agent < kThreadAgents; ++agent) {
    if (!threads[agent].covers(other.threads[agent])) return false;
  }
  return true;
}

void Knowledge::join(const Knowledge& other) {
  for (std::size_t agent = 0; agent < kThreadAgents; ++agent) threads[agent].join(other.threads[agent]);
  for (ObjectId object = 0; object < other.objects.size(); ++object)
    raise_object(object, other.objects[object]);
  for (const Apart& times : other.apart) raise_object(times);
}

bool Clock::covers(const Clock& other) const {
  for (std::size_t p = 0; p < kOrderKinds; ++p) {
    if (other.planes[p] == nullptr || planes[p] == other.planes[p]) continue;
    if (planes[p] == nullptr || !planes[p]->covers(*other.planes[p])) return false;
  }
  return true;
}

Knowledge& ClockEdit::plane(OrderKind which) {
  const auto p = static_cast<std::size_t>(which);
  if (changed_[p] == nullptr) {
    changed_[p] = clock_.planes[p] == nullptr ? std::make_shared<Knowledge>()
                                              : std::make_shared<Knowledge>(*clock_.planes[p]);
    clock_.planes[p] = changed_[p];
  }
  return *changed_[p];
}

void ClockEdit::assign(OrderKind to, OrderKind from) {
  // From here on both are shared: a later change copies.
  changed_[static_cast<std::size_t>(to)] = changed_[static_cast<std::size_t>(from)] = nullptr;
  clock_.planes[static_cast<std::size_t>(to)] = clock_.planes[static_cast<std::size_t>(from)];
}

void ClockEdit::share(OrderKind which, const ClockRef& from) {
  const auto p = static_cast<std::size_t>(which);
  changed_[p] = nullptr;
  clock_.planes[p] = from->planes[p];
}

void ClockEdit::add_passed(const Clock& from) {
  constexpr auto kPassed = static_cast<std::size_t>(OrderKind::passed);
  for (const OrderKind one : {OrderKind::exchange, OrderKind::passed}) {
    const std::shared_ptr<const Knowledge>& theirs = from.planes[static_cast<std::size_t>(one)];
    if (theirs == nullptr || theirs == clock_.planes[kPassed]) continue;
    if (clock_.planes[kPassed] == nullptr) {
      clock_.planes[kPassed] = theirs;
    } else if (!clock_.planes[kPassed]->covers(*theirs)) {
      plane(OrderKind::passed).join(*theirs);
    }
  }
}

void ClockEdit::join(const Clock& other) {
  for (std::size_t p = 0; p < kOrderKinds; ++p) {
    const std::shared_ptr<const Knowledge>& theirs = other.planes[p];
    if (theirs == nullptr || theirs == clock_.planes[p]) continue;
    if (clock_.planes[p] == nullptr) {
      clock_.planes[p] = theirs;
    } else if (!clock_.planes[p]->covers(*theirs)) {
      plane(static_cast<OrderKind>(p)).join(*theirs);
    }
  }
}

void ClockEdit::add(const Snapshot& own) {
  Knowledge& base = plane(OrderKind::base);
  base.threads[0].raise(own.lanes, own.time);
  for (std::size_t agent = 0; agent < kGroupAgents; ++agent)
    base.threads[agent + 1].raise(own.lanes, own.own.done[agent]);
  for (std::size_t p = 1; p < kOrderKinds; ++p) {
    if (own.own.crossed[p] != 0)
      plane(static_cast<OrderKind>(p)).threads[0].raise(own.lanes, own.own.crossed[p]);
  }
}

ClockRef join(const ClockRef& a, const ClockRef& b) {
  if (b == nullptr || a == b) return a;
  if (a == nullptr || b->covers(*a)) return b;
  if (a->covers(*b)) return a;
  ClockEdit edit(a);
  edit.join(*b);
  return edit.take();
}

ClockRef narrowed(const ClockRef& from, OrderKind plane) {
  ClockEdit edit(nullptr);
  for (const OrderKind one : {OrderKind::base, plane}) {
    if (from->plane(one) != nullptr) edit.plane(plane).join(*from->plane(one));
  }
  return edit.take();
}

ClockRef executed(const ClockRef& from) {
  ClockEdit edit(narrowed(from, OrderKind::execution));
  edit.add_passed(*from);
  return edit.take();
}

ClockRef of_shared_memory(const ClockRef& from) {
  ClockEdit edit(executed(from));
  for (const OrderKind one : {OrderKind::base, OrderKind::shared}) {
    if (from->plane(one) != nullptr) edit.plane(OrderKind::shared).join(*from->plane(one));
  }
  edit.share(OrderKind::restricted, from);
  return edit.take();
}

void Snapshot::close(std::uint32_t of, Epoch& open) const {
  if (of == 0) return;
  const bool is_own = open.agent != Agent::object && open.warp == lanes.warp;
  const Time done = open.agent == Agent::thread || open.agent == Agent::object
                        ? time
                        : own.done[static_cast<std::size_t>(open.agent) - 1];
  if (is_own && done >= open.time) open.mask &= ~of;
  if (open.mask == 0 || clock == nullptr) return;
  Epoch one = open;
  for (std::uint32_t rest = open.mask; rest != 0; rest &= rest - 1) {
    one.mask = rest;
    if (clock->covers(OrderKind::base, one)) {
      open.mask &= ~rest;
      return;
    }
    one.mask = rest & (~rest + 1);
    if (clock->covers(OrderKind::base, one)) open.mask &= ~one.mask;
  }
}

ClockRef join(std::span<const Snapshot> snapshots) {
  std::vector<const Clock*> joined;  // those that many threads share are joined once
  ClockEdit edit(snapshots.empty() ? nullptr : snapshots.front().clock);
  for (const Snapshot& snapshot : snapshots) {
    const Clock* clock = snapshot.clock.get();
    if (clock == nullptr || std::find(joined.rbegin(), joined.rend(), clock) != joined.rend()) continue;
    joined.push_back(clock);
    edit.join(*clock);
  }
  for (const Snapshot& snapshot : snapshots) edit.add(snapshot);
  return edit.take();
}

}  // namespace ptxmc::trace

// SPDX-License-Identifier: Apache-2.0
#include "dynamic/order/threads.h"

#include <algorithm>
#include <bit>

namespace ptxmc::trace {
namespace {

bool includes(isa::Scope scope, const Placement& from, const Placement& to) {
  switch (scope) {
    case isa::Scope::none:
      return false;
    case isa::Scope::cta:
      return from.cta == to.cta;
    case isa::Scope::cluster:
      return from.cluster == to.cluster;
    case isa::Scope::gpu:
      return from.gpu == to.gpu;
    case isa::Scope::sys:
      return true;
  }
  return false;
}

}  // namespace

bool include_each_other(isa::Scope a, const Placement& at, isa::Scope b, const Placement& other) {
  return includes(a, at, other) && includes(b, other, at);
}

void Threads::start(std::span<const Placement> warps) {
  warps_ = warps.size();
  starters_.clear();
  starter_of_.assign(warps.size(), 0);
  places_.assign(warps.begin(), warps.end());
  times_.assign(warps.size(), 1);
  used_.assign(warps.size(), 0);
  clocks_.assign(warps.size() * kLanes, nullptr);
  own_.assign(warps.size() * kLanes, Own{});
  aware_.assign(warps.size(), 0);
  tensor_.start(warps.size() * kLanes);
  const auto all = [&](std::uint32_t Placement::*group) {
    return std::all_of(places_.begin(), places_.end(),
                       [&](const Placement& place) { return place.*group == places_.front().*group; });
  };
  one_cta_ = all(&Placement::cta);
  one_cluster_ = all(&Placement::cluster);
}

std::uint32_t Threads::starter(std::uint32_t warp) {
  if (starter_of_[warp] == 0) {
    starter_of_[warp] = static_cast<std::uint32_t>(places_.size());
    starters_.push_back(warp);
    places_.push_back(Placement(places_[warp]));
    times_.push_back(1);
    used_.push_back(0);
    clocks_.resize(places_.size() * kLanes);
    own_.resize(places_.size() * kLanes);
    aware_.push_back(0);
  }
  return starter_of_[warp];
}

void Threads::start_here(Lanes lanes) {
  const std::uint32_t starter = this->starter(lanes.warp);
  std::vector<Snapshot> all;
  add_snapshots(lanes, all);
  clocks_[std::size_t{starter} * kLanes] = join(all);
  ++version_;
  tick(lanes.warp);
}

void Threads::fence_tensor(Lanes lanes) {
  ++version_;
  for_threads(lanes, [&](Thread thread) {
    if (const ClockRef signalled = tensor_.take_signals(thread)) learn(thread, signalled);
    tensor_.fence(thread, clocks_[thread]);
  });
}

bool Threads::knows(Thread thread, OrderKind plane, const Epoch& epoch) const {
  Epoch rest = epoch;
  if (epoch.agent != Agent::object && epoch.warp == thread / kLanes) {
    const std::uint32_t bit = 1U << (thread % kLanes);
    const Own& own = own_[thread];
    if ((rest.mask & bit) != 0) {
      const bool over =
          epoch.agent != Agent::thread
              ? plane == OrderKind::base && own.done[static_cast<std::size_t>(epoch.agent) - 1] >= epoch.time
              : plane == OrderKind::base || plane == OrderKind::exchange || plane == OrderKind::remote ||
                    plane == OrderKind::shared || plane == OrderKind::restricted ||
                    own.crossed[static_cast<std::size_t>(plane)] >= epoch.time;
      if (over) rest.mask &= ~bit;
      if (rest.mask == 0) return true;
    }
  }
  return clocks_[thread] != nullptr && clocks_[thread]->covers(plane, rest);
}

Time Threads::phases(Thread thread, ObjectId object) const {
  if (clocks_[thread] == nullptr) return 0;
  const Knowledge *base = clocks_[thread]->plane(OrderKind::base),
                  *executed = clocks_[thread]->plane(OrderKind::execution);
  return std::max(base == nullptr ? 0 : base->phases(object),
                  executed == nullptr ? 0 : executed->phases(object));
}

void Threads::learn(Lanes lanes, const ClockRef& clock) {
  if (elements_ && elements_->warp == lanes.warp) {
    elements_->learnt.emplace_back(lanes, clock);
    return;
  }
  ++version_;
  ClockRef before, after;
  bool first = true;
  for_threads(lanes, [&](Thread thread) {
    if (first || clocks_[thread] != before) {
      before = clocks_[thread];
      after = join(before, clock);
      first = false;
    }
    if (clocks_[thread] != after) clocks_[thread] = after;
  });
}

void Threads::end_elements() {
  const std::optional<Elements> elements = std::exchange(elements_, std::nullopt);
  for (const auto& [lanes, clock] : elements->learnt) learn(lanes, clock);
}

void Threads::meet(Lanes lanes, const ClockRef& clock) {
  learn(lanes, clock);
  for_threads({lanes.warp, lanes.mask & aware_[lanes.warp]}, [&](Thread thread) { own_[thread] = {}; });
  aware_[lanes.warp] &= ~lanes.mask;
}

void Threads::add_snapshots(Lanes lanes, std::vector<Snapshot>& out) const {
  const std::size_t begin = out.size();
  const std::uint32_t aware = aware_[lanes.warp];
  for_threads(lanes, [&](Thread thread) {
    const auto same = [&](const Snapshot& s) {
      return s.clock == clocks_[thread] &&
             ((aware & (s.lanes.mask | lane_of(thread).mask)) == 0 || s.own == own_[thread]);
    };
    const auto found = std::find_if(out.begin() + static_cast<std::ptrdiff_t>(begin), out.end(), same);
    if (found == out.end()) {
      out.push_back(snapshot(thread));
    } else {
      found->lanes.mask |= lane_of(thread).mask;
    }
  });
}

std::vector<Snapshot> Threads::mark(Lanes lanes) {
  tick(lanes.warp);
  stamp(lanes.warp);
  std::vector<Snapshot> snapshots;
  add_snapshots(lanes, snapshots);
  tick(lanes.warp);
  changed();
  return snapshots;
}

std::uint32_t Threads::known(Thread thread, const Snapshot& event, OrderKind plane) const {
  std::uint32_t lanes = 0;
  for (std::uint32_t rest = event.lanes.mask; rest != 0; rest &= rest - 1) {
    const std::uint32_t lane = rest & (~rest + 1);
    if (knows(thread, plane, {Agent::thread, event.lanes.warp, lane, 0, event.time})) lanes |= lane;
  }
  return lanes;
}

bool Threads::share_clock(Lanes lanes) const {
  const Clock* first = clocks_[lanes.thread(static_cast<unsigned>(std::countr_zero(lanes.mask)))].get();
  for (std::uint32_t rest = lanes.mask; rest != 0; rest &= rest - 1) {
    if (clocks_[lanes.thread(static_cast<unsigned>(std::countr_zero(rest)))].get() != first) return false;
  }
  return true;
}

bool Threads::agree(Lanes lanes, OrderKind plane) const {
  if ((aware_[lanes.warp] & lanes.mask) != 0 || !share_clock(lanes)) return false;
  const Time last = used_[lanes.warp];
  const ClockRef& clock = clocks_[lanes.thread(static_cast<unsigned>(std::countr_zero(lanes.mask)))];
  return last == 0 ||
         (clock != nullptr && clock->covers(plane, {Agent::thread, lanes.warp, lanes.mask, 0, last}));
}

void Threads::learn_done(Thread thread, Agent agent, Time time) {
  ++version_;
  Time& done = own_[thread].done[static_cast<std::size_t>(agent) - 1];
  done = std::max(done, time);
  aware_[thread / kLanes] |= lane_of(thread).mask;
}

void Threads::cross(Lanes lanes, OrderKind plane, OrderKind from) {
  const std::uint32_t warp = lanes.warp;
  aware_[warp] |= lanes.mask;
  ++version_;
  ClockRef before, after;
  for_threads(lanes, [&](Thread thread) {
    Own& own = own_[thread];
    own.crossed[static_cast<std::size_t>(plane)] =
        from == OrderKind::base ? used_[warp] : own.crossed[static_cast<std::size_t>(from)];
    const bool copies = from == OrderKind::base && own.done != Own{}.done;  // of its own, that are over
    if (clocks_[thread] == nullptr && !copies) return;
    if (copies || after == nullptr || clocks_[thread] != before) {
      before = clocks_[thread];
      ClockEdit edit(before);
      edit.assign(plane, from);
      for (std::size_t agent = 0; copies && agent < kGroupAgents; ++agent) {
        if (own.done[agent] != 0)
          edit.plane(plane).threads[agent + 1].raise(lane_of(thread), own.done[agent]);
      }
      after = edit.take();
    }
    clocks_[thread] = after;
    if (copies) after = nullptr;
  });
  tick(warp);
}

void Threads::release_inits(Lanes lanes) {
  aware_[lanes.warp] |= lanes.mask;
  ++version_;
  for_threads(lanes, [&](Thread thread) {
    own_[thread].crossed[static_cast<std::size_t>(OrderKind::init_release)] = used_[lanes.warp];
  });
  tick(lanes.warp);
}

ClockRef Threads::told_by_execution(Lanes lanes) const {
  ClockRef out;
  const Clock* last = nullptr;
  for_threads(lanes, [&](Thread thread) {
    const ClockRef& clock = clocks_[thread];
    const bool tells = clock != nullptr && (clock->plane(OrderKind::execution) != nullptr ||
                                            clock->plane(OrderKind::exchange) != nullptr ||
                                            clock->plane(OrderKind::passed) != nullptr);
    if (!tells || clock.get() == last) return;
    last = clock.get();
    ClockEdit edit(nullptr);
    edit.share(OrderKind::execution, clock);
    edit.add_passed(*clock);
    out = join(out, edit.take());
  });
  return out;
}

ClockRef Threads::told_inits(Lanes lanes) const {
  ClockRef out;
  for_threads(lanes, [&](Thread thread) {
    const ClockRef& clock = clocks_[thread];
    const Knowledge* inits = clock == nullptr ? nullptr : clock->plane(OrderKind::init_release);
    Time time = own_[thread].crossed[static_cast<std::size_t>(OrderKind::init_release)];
    if (inits != nullptr) time = std::max(time, inits->threads[0].least(lanes.warp, lane_of(thread).mask));
    if (time == 0) return;
    ClockEdit edit(nullptr);
    edit.plane(OrderKind::init_release).threads[0].raise(lane_of(thread), time);
    out = join(out, edit.take());
  });
  return out;
}

void Threads::learn_execution(Lanes lanes, ObjectId object, Time phases) {
  ClockEdit edit(nullptr);
  edit.plane(OrderKind::execution).raise_object(object, phases);
  learn(lanes, edit.take());
}

void Threads::learn_tasks(Lanes lanes, std::span<const std::uint32_t> tasks, std::span<const Time> phases,
                          std::span<const Own> done, bool waited) {
  ClockEdit edit(nullptr);
  Knowledge ended;
  const Clock* joined = nullptr;
  for (std::uint32_t warp = 0; warp < warps_; ++warp) {
    if (std::find(tasks.begin(), tasks.end(), places_[warp].task) == tasks.end()) continue;
    Knowledge& base = edit.plane(OrderKind::base);
    base.threads[0].raise({warp, ~std::uint32_t{0}}, times_[warp]);
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      const Thread thread = warp * kLanes + lane;
      for (std::size_t agent = 0; agent < kGroupAgents; ++agent) {
        const Time issued = done[thread].done[agent];
        base.threads[agent + 1].raise({warp, 1U << lane}, issued);
      }
      const Clock* known = clocks_[thread].get();
      if (known == nullptr || known == joined) continue;
      joined = known;
      if (known->plane(OrderKind::base) != nullptr) base.join(*known->plane(OrderKind::base));
      if (known->plane(OrderKind::ended) != nullptr) ended.join(*known->plane(OrderKind::ended));
    }
  }
  Knowledge& base = edit.plane(OrderKind::base);
  for (ObjectId object = 0; object < phases.size(); ++object) base.raise_object(object, phases[object]);
  if (!waited) {
    edit.plane(OrderKind::ended).join(ended);
    return learn(lanes, narrowed(edit.take(), OrderKind::ended));
  }
  // A boundary is a fence of all proxies but tensormap (8.9.4).
  for (std::size_t p = 1; p < kOrderKinds; ++p) {
    const auto plane = static_cast<OrderKind>(p);
    if (plane != OrderKind::directed && plane < OrderKind::tensor_done) edit.assign(plane, OrderKind::base);
  }
  edit.plane(OrderKind::ended).join(ended);
  learn(lanes, edit.take());
}

}  // namespace ptxmc::trace

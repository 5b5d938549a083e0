// SPDX-License-Identifier: Apache-2.0
#include "trace/threads.h"

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
  places_.assign(warps.begin(), warps.end());
  times_.assign(warps.size(), 1);
  clocks_.assign(warps.size() * kLanes, nullptr);
  own_.assign(warps.size() * kLanes, Own{});
}

bool Threads::knows(Thread thread, Plane plane, const Epoch& epoch) const {
  Epoch rest = epoch;
  if (epoch.agent != Agent::object && epoch.warp == thread / kLanes) {
    const std::uint32_t bit = 1U << (thread % kLanes);
    const Own& own = own_[thread];
    if ((rest.mask & bit) != 0) {
      const bool over =
          epoch.agent != Agent::thread
              ? plane == Plane::base && own.done[static_cast<std::size_t>(epoch.agent) - 1] >= epoch.time
              : plane == Plane::base || plane == Plane::exchange ||
                    own.crossed[static_cast<std::size_t>(plane)] >= epoch.time;
      if (over) rest.mask &= ~bit;
      if (rest.mask == 0) return true;
    }
  }
  return clocks_[thread] != nullptr && clocks_[thread]->covers(plane, rest);
}

Time Threads::phases(Thread thread, ObjectId object) const {
  const Knowledge* known = clocks_[thread] == nullptr ? nullptr : clocks_[thread]->plane(Plane::base);
  return known == nullptr ? 0 : known->phases(object);
}

void Threads::learn(Thread thread, const ClockRef& clock) {
  clocks_[thread] = join(clocks_[thread], clock);
}

void Threads::learn(Lanes lanes, const ClockRef& clock) {
  ClockRef before, after;
  bool first = true;
  for_threads(lanes, [&](Thread thread) {
    if (first || clocks_[thread] != before) {
      before = clocks_[thread];
      after = join(before, clock);
      first = false;
    }
    clocks_[thread] = after;
  });
}

void Threads::learn_phases(Thread thread, ObjectId object, Time phases) {
  if (this->phases(thread, object) >= phases) return;
  ClockEdit edit(clocks_[thread]);
  edit.plane(Plane::base).raise_object(object, phases);
  clocks_[thread] = edit.take();
}

void Threads::learn_done(Thread thread, Agent agent, Time time) {
  Time& done = own_[thread].done[static_cast<std::size_t>(agent) - 1];
  done = std::max(done, time);
}

void Threads::cross(Lanes lanes, Plane plane, Plane from) {
  const std::uint32_t warp = lanes.warp;
  ClockRef before, after;
  for_threads(lanes, [&](Thread thread) {
    Own& own = own_[thread];
    own.crossed[static_cast<std::size_t>(plane)] =
        from == Plane::base ? times_[warp] : own.crossed[static_cast<std::size_t>(from)];
    const bool copies = from == Plane::base && own.done != Own{}.done;  // of its own, that are over
    if (clocks_[thread] == nullptr && !copies) return;
    if (copies || after == nullptr || clocks_[thread] != before) {
      before = clocks_[thread];
      ClockEdit edit(before);
      edit.assign(plane, from);
      for (std::size_t agent = 0; copies && agent < kGroupAgents; ++agent) {
        if (own.done[agent] != 0)
          edit.plane(plane).threads[agent + 1].raise(warp, thread % kLanes, own.done[agent]);
      }
      after = edit.take();
    }
    clocks_[thread] = after;
    if (copies) after = nullptr;
  });
  tick(warp);
}

void Threads::start_task(std::uint32_t task, std::span<const Time> phases, std::span<const Own> done) {
  ClockEdit edit(nullptr);
  Knowledge& base = edit.plane(Plane::base);
  for (std::uint32_t warp = 0; warp < places_.size(); ++warp) {
    if (places_[warp].task >= task) continue;
    base.threads[0].raise(warp, times_[warp]);
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      for (std::size_t agent = 0; agent < kGroupAgents; ++agent) {
        const Time issued = done[warp * kLanes + lane].done[agent];
        if (issued != 0) base.threads[agent + 1].raise(warp, lane, issued);
      }
    }
  }
  for (ObjectId object = 0; object < phases.size(); ++object) base.raise_object(object, phases[object]);
  for (std::size_t p = 1; p < kPlanes; ++p) {  // a boundary is a fence of all proxies but tensormap (8.9.4)
    const auto plane = static_cast<Plane>(p);
    if (plane != Plane::tensormap && plane != Plane::map_release) edit.assign(plane, Plane::base);
  }
  const ClockRef all = edit.take();
  for (Thread thread = 0; thread < clocks_.size(); ++thread) {
    if (place(thread).task == task) learn(thread, all);
  }
}

}  // namespace ptxmc::trace

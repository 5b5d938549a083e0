// SPDX-License-Identifier: Apache-2.0
#include "trace/flight.h"

#include <algorithm>

namespace ptxmc::trace {

void Flight::start() {
  for (std::uint32_t warp = 0; warp < threads_.warps(); ++warp) {
    const Placement& place = threads_.place_of_warp(warp);
    in_cta_[place.cta] += static_cast<std::uint32_t>(std::popcount(place.lanes));
  }
}

void Flight::add_window(std::uint32_t cta, Range window) {
  const auto behind = [](const Window& w, Address begin) { return w.range.begin < begin; };
  windows_.insert(std::lower_bound(windows_.begin(), windows_.end(), window.begin, behind), {cta, window});
}

const Flight::Window* Flight::window_of(Address at) const {
  const auto holds = [&](const Window& w) {
    return w.range.begin <= at && at - w.range.begin < w.range.bytes;
  };
  if (last_window_ < windows_.size() && holds(windows_[last_window_])) return &windows_[last_window_];
  const auto after = std::upper_bound(windows_.begin(), windows_.end(), at,
                                      [](Address a, const Window& w) { return a < w.range.begin; });
  if (after == windows_.begin() || !holds(*std::prev(after))) return nullptr;
  last_window_ = static_cast<std::size_t>(std::prev(after) - windows_.begin());
  return &*std::prev(after);
}

void Flight::issue(const Kind& kind, const Mark& mark, Range range) {
  const Window* window = window_of(range.begin);
  if (window == nullptr) return;
  std::vector<Operation>& operations = operations_[window->cta][mark.warp];
  Operation* same = nullptr;
  bool empty = false;
  for (Operation& operation : operations) {
    if (operation.id != mark.kind) continue;
    if (operation.epoch.time == mark.time) {
      same = &operation;
    } else {
      operation.epoch.mask &= ~mark.mask;  // its time is less
      empty = empty || operation.epoch.mask == 0;
    }
  }
  if (same != nullptr) {
    same->epoch.mask |= mark.mask;
  } else {
    operations.push_back(
        {kind, mark.kind, {kind.agent, mark.warp, mark.mask, kind.object, mark.time}, range});
  }
  if (empty) std::erase_if(operations, [](const Operation& o) { return o.epoch.mask == 0; });
}

/// What the threads know is over, is.
void Flight::learn(Lanes lanes, Operations& operations) const {
  const Clock* clock = nullptr;
  for_threads(lanes, [&](Thread thread) {
    // Of other warps, lanes with one clock know the same.
    const bool again = clock != nullptr && threads_.clock(thread).get() == clock;
    clock = threads_.clock(thread).get();
    for (auto& [warp, ours] : operations) {
      if (again && warp != lanes.warp) continue;
      std::erase_if(ours, [&](Operation& o) {
        std::uint32_t left = 0;
        Epoch one = o.epoch;
        if (threads_.knows(thread, Plane::base, one)) return true;
        for (std::uint32_t rest = o.epoch.mask; rest != 0; rest &= rest - 1) {
          one.mask = rest & (~rest + 1);
          if (!threads_.knows(thread, Plane::base, one)) left |= one.mask;
        }
        o.epoch.mask = left;
        return left == 0;
      });
    }
  });
}

void Flight::exit(Site site, Lanes lanes) {
  const Placement& place = threads_.place_of_warp(lanes.warp);
  Operations& operations = operations_[place.cta];
  learn(lanes, operations);
  std::uint32_t& left = in_cta_[place.cta];
  left -= std::min(left, lanes.count());
  if (left != 0) return;
  for (const auto& [warp, ours] : operations) {
    for (const Operation& operation : ours) report(site, lanes, operation);
  }
}

void Flight::report(Site site, Lanes lanes, const Operation& operation) {
  const Thread issuer = operation.epoch.warp * kLanes +
                        static_cast<Thread>(std::countr_zero(operation.epoch.mask | (1ULL << kLanes)));
  Finding finding;
  finding.rule = operation.kind.writes() ? Rule::exit_in_flight : Rule::exit_in_flight_read;
  finding.first = {operation.kind.site, threads_.issuer(issuer), operation.kind.effect, operation.kind.proxy,
                   true};
  finding.second = {site, lanes.thread(static_cast<unsigned>(std::countr_zero(lanes.mask)))};
  finding.bytes = operation.range;
  finding.cause.missing = Missing::wait;
  findings_.add(finding);
}

}  // namespace ptxmc::trace

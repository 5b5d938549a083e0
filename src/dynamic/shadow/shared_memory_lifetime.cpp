// SPDX-License-Identifier: Apache-2.0
#include "dynamic/shadow/shared_memory_lifetime.h"

#include <algorithm>

namespace ptxmc::trace {

void SharedMemoryLifetime::start(bool apart) {
  std::unordered_map<std::uint32_t, std::uint32_t> cta_of_cluster;
  for (std::uint32_t warp = 0; warp < threads_.warps(); ++warp) {
    const Placement& place = threads_.place_of_warp(warp);
    in_cta_[place.cta] += static_cast<std::uint32_t>(std::popcount(place.lanes));
    const auto known = cta_of_cluster.try_emplace(place.cluster, place.cta).first;
    clusters_ = clusters_ || known->second != place.cta;
  }
  if (clusters_ && apart) start_apart();
}

/// Who learns what a thread of the CTA has executed, be it of no memory, learns that it is there.
void SharedMemoryLifetime::start_apart() {
  std::map<std::uint32_t, ClockRef> known;
  for (std::uint32_t warp = 0; warp < threads_.warps(); ++warp) {
    const Placement& place = threads_.place_of_warp(warp);
    const auto [agent, fresh] = started_.try_emplace(place.cta);
    ClockRef& clock = known[place.cta];
    if (fresh) {
      agent->second = objects_.add_agent();
      ClockEdit edit(nullptr);
      edit.plane(OrderKind::execution)
          .raise_object({agent->second, 1, 2});  // apart: there are as many as CTAs
      clock = edit.take();
    }
    threads_.learn({warp, place.lanes}, clock);
  }
}

void SharedMemoryLifetime::check_started(const Window& window, const Kind& kind, const ShadowAccess& mark,
                                         Range range) {
  const auto started = started_.find(window.cta);
  if (started == started_.end() || mark.mask == 0) return;
  const Epoch epoch{Agent::object, 0, 0, started->second, 2};
  for (std::uint32_t rest = mark.mask; rest != 0; rest &= rest - 1) {
    const Thread thread = mark.warp * kLanes + static_cast<Thread>(std::countr_zero(rest));
    if (threads_.knows(thread, OrderKind::base, epoch) || threads_.knows(thread, OrderKind::execution, epoch))
      continue;
    Finding finding;
    finding.rule = RuleId::shared_before_start;
    finding.second = {kind.site, threads_.issuer(thread), kind.effect, kind.proxy, kind.operation};
    finding.first = finding.second;
    finding.bytes = range;
    findings_.add(finding);
    return;
  }
}

void SharedMemoryLifetime::issue(const Kind& kind, const ShadowAccess& mark, std::span<const Range> ranges) {
  const Window* last = nullptr;
  for (const Range& range : ranges) {
    const Window* window = range.bytes == 0 ? nullptr : windows_.find(range.begin);
    if (window == nullptr) continue;
    // One range of the operation in a window is enough, but each is reported.
    if (window != last || last_exit_.contains(window->cta)) add(*window, kind, mark, range, true);
    last = window;
  }
}

void SharedMemoryLifetime::visit(const Kind& kind, const ShadowAccess& mark, Range range, bool synchronizes) {
  const Window* window = windows_.find(range.begin);
  if (window != nullptr && window->cta != threads_.place_of_warp(mark.warp).cta)
    add(*window, kind, mark, range, synchronizes);
}

void SharedMemoryLifetime::add(const Window& window, const Kind& kind, const ShadowAccess& mark, Range range,
                               bool executes) {
  if (window.cta != threads_.place_of_warp(mark.warp).cta) check_started(window, kind, mark, range);
  const Epoch epoch{kind.agent, mark.warp, mark.mask, kind.object, mark.time};
  if (const auto over = last_exit_.find(window.cta); over != last_exit_.end())
    return report(over->second.site, over->second.lanes, {kind, mark.kind, epoch, range, executes});
  std::vector<Operation>& operations = operations_[window.cta][mark.warp];
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
    operations.push_back({kind, mark.kind, epoch, range, executes});
  }
  if (empty) std::erase_if(operations, [](const Operation& o) { return o.epoch.mask == 0; });
}

bool SharedMemoryLifetime::is_over(Thread thread, const Operation& operation, const Epoch& epoch) const {
  return threads_.knows(thread, OrderKind::base, epoch) ||
         (operation.executes && threads_.knows(thread, OrderKind::execution, epoch));
}

/// What the threads know is over, is.
void SharedMemoryLifetime::learn(Lanes lanes, Operations& operations) const {
  const Clock* clock = nullptr;
  for_threads(lanes, [&](Thread thread) {
    // Lanes of other warps with one clock know the same.
    const bool again = clock != nullptr && threads_.clock(thread).get() == clock;
    clock = threads_.clock(thread).get();
    for (auto& [warp, ours] : operations) {
      if (again && warp != lanes.warp) continue;
      std::erase_if(ours, [&](Operation& o) {
        std::uint32_t left = 0;
        Epoch one = o.epoch;
        if (is_over(thread, o, one)) return true;
        o.remote = o.remote || threads_.knows(thread, OrderKind::remote, one);
        for (std::uint32_t rest = o.epoch.mask; rest != 0; rest &= rest - 1) {
          one.mask = rest & (~rest + 1);
          if (!is_over(thread, o, one)) left |= one.mask;
        }
        o.epoch.mask = left;
        return left == 0;
      });
    }
  });
}

void SharedMemoryLifetime::exit(Site site, Lanes lanes) {
  const Placement& place = threads_.place_of_warp(lanes.warp);
  Operations& operations = operations_[place.cta];
  learn(lanes, operations);
  std::uint32_t& left = in_cta_[place.cta];
  left -= std::min(left, lanes.count());
  if (left != 0) return;
  last_exit_[place.cta] = {site, lanes};
  for (const auto& [warp, ours] : operations) {
    for (const Operation& operation : ours) report(site, lanes, operation);
  }
}

void SharedMemoryLifetime::report(Site site, Lanes lanes, const Operation& operation) {
  const Thread issuer = operation.epoch.warp * kLanes +
                        static_cast<Thread>(std::countr_zero(operation.epoch.mask | (1ULL << kLanes)));
  Finding finding;
  finding.rule = operation.remote            ? RuleId::remote_arrival
                 : !operation.kind.operation ? RuleId::shared_after_exit
                 : operation.kind.writes()   ? RuleId::exit_in_flight
                                             : RuleId::exit_in_flight_read;
  finding.first = {operation.kind.site, threads_.issuer(issuer), operation.kind.effect, operation.kind.proxy,
                   operation.kind.operation};
  finding.second = {site, lanes.thread(static_cast<unsigned>(std::countr_zero(lanes.mask)))};
  finding.bytes = operation.range;
  finding.cause.missing = operation.remote ? Missing::scope : Missing::wait;
  findings_.add(finding);
}

}  // namespace ptxmc::trace

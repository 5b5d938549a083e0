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

bool Flight::is_shared(Address at) const {
  return std::any_of(windows_.begin(), windows_.end(), [&](const Window& window) {
    return window.range.begin <= at && at < window.range.begin + window.range.bytes;
  });
}

void Flight::issue(const Kind& kind, const Mark& mark, Range range) {
  for (const Window& window : windows_) {
    if (range.begin < window.range.begin || range.begin >= window.range.begin + window.range.bytes) continue;
    std::vector<Operation>& operations = operations_[window.cta];
    const Epoch epoch{kind.agent, mark.warp, mark.mask, kind.object, mark.time};
    const auto same = std::find_if(operations.begin(), operations.end(), [&](const Operation& o) {
      return o.kind == kind && o.epoch.warp == mark.warp && o.epoch.mask == mark.mask;
    });
    if (same == operations.end()) {
      operations.push_back({kind, epoch, range});
    } else {
      *same = {kind, epoch, range};  // its time is not less
    }
    return;
  }
}

void Flight::exit(Site site, Lanes lanes) {
  const Placement& place = threads_.place_of_warp(lanes.warp);
  std::vector<Operation>& operations = operations_[place.cta];
  for_threads(lanes, [&](Thread thread) {
    std::erase_if(operations,
                  [&](const Operation& o) { return threads_.knows(thread, Plane::base, o.epoch); });
  });
  std::uint32_t& left = in_cta_[place.cta];
  left -= std::min(left, lanes.count());
  for (std::size_t i = 0; left == 0 && i < operations.size(); ++i) {
    const Operation& operation = operations[i];
    const Thread issuer = operation.epoch.warp * kLanes +
                          static_cast<Thread>(std::countr_zero(operation.epoch.mask | (1ULL << kLanes)));
    Finding finding;
    finding.rule = operation.kind.writes() ? Rule::exit_in_flight : Rule::exit_in_flight_read;
    finding.first = {operation.kind.site, issuer, operation.kind.effect, operation.kind.proxy, true};
    finding.second = {site, lanes.thread(static_cast<unsigned>(std::countr_zero(lanes.mask)))};
    finding.bytes = operation.range;
    finding.cause.missing = Missing::wait;
    findings_.add(finding);
  }
}

}  // namespace ptxmc::trace

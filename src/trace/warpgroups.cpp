// SPDX-License-Identifier: Apache-2.0
#include "trace/warpgroups.h"

#include <algorithm>

namespace ptxmc::trace {
namespace {

constexpr std::uint32_t kWarps = 4;  // of a warpgroup: contiguous, the first a multiple of it (9.7.14)

}  // namespace

void Warpgroups::start() {
  std::unordered_map<std::uint32_t, std::uint32_t> first_of_cta;
  for (std::uint32_t warp = 0; warp < threads_.warps(); ++warp) {
    const std::uint32_t first =
        first_of_cta.try_emplace(threads_.place_of_warp(warp).cta, warp).first->second;
    first_.push_back(warp - (warp - first) % kWarps);
  }
  committed_.assign(threads_.warps(), 0);
}

ObjectId Warpgroups::agent(std::uint32_t warp) {
  const auto known = agents_.find(first_[warp]);
  if (known != agents_.end()) return known->second;
  return agents_.emplace(first_[warp], objects_.add_agent()).first->second;
}

Warpgroups::Issue Warpgroups::issue(Thread thread) {
  const std::uint32_t warp = thread / kLanes;
  // Without any fence the behaviour is undefined (R245), which is said of the instruction.
  if (!threads_.has_starter(warp)) threads_.start_here({warp, ~std::uint32_t{0}});
  return {agent(warp), committed_[warp] + 1, threads_.starter(warp)};
}

void Warpgroups::commit(Lanes lanes) {
  objects_.advance(agent(lanes.warp), ++committed_[lanes.warp]);
}

void Warpgroups::wait(Lanes lanes, std::uint32_t pending) {
  const Time groups = committed_[lanes.warp];
  if (groups <= pending) return;
  ClockEdit edit(nullptr);
  edit.plane(Plane::base).raise_object(agent(lanes.warp), groups - pending);
  threads_.learn(lanes, edit.take());
}

}  // namespace ptxmc::trace

// SPDX-License-Identifier: Apache-2.0
#include "dynamic/exec/swap_places.h"

#include <algorithm>

#include "dynamic/exec/run.h"

namespace ptxmc::exec {

void SwapPlaces::start(const Options& options, const std::vector<Code>& codes) {
  heeds_order_ = std::any_of(codes.begin(), codes.end(), [](const Code& code) { return code.heeds_order; });
  all_ = options.detail.swaps.has_value();
  tried_ = options.detail.swaps.value_or(std::set<Address>());
}

bool SwapPlaces::counts(const Step& step, LaneMask mask, const Row& at, bool writes) {
  const bool swaps = step.modifiers().atomic == isa::AtomicOp::cas;
  if (tried_.empty() && !swaps) return false;
  bool tried = false, written = false;
  for_lanes(mask, [&](unsigned lane) {
    tried = tried || tried_.contains(at[lane]);
    written = written || written_.contains(at[lane]);
  });
  tried = tried && step.takes == nullptr;
  left_out_ = left_out_ || (tried && !all_);
  if (swaps) {
    for_lanes(mask, [&](unsigned lane) {
      tried_.insert(at[lane]);
      if (writes) written_.insert(at[lane]);
    });
  }
  return (writes && heeds_order_ && written) || (tried && all_);
}

void SwapPlaces::tell(Outcome& outcome) const {
  if (left_out_) outcome.swaps = tried_;
}

}  // namespace ptxmc::exec

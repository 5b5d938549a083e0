// SPDX-License-Identifier: Apache-2.0
#include "dynamic/shadow/launches.h"

namespace ptxmc::trace {

// Nothing is taken of two clocks of which neither has the other's knowledge, which orders less.
void Launches::add(Thread thread) {
  const Placement& place = threads_.place(thread);
  const ClockRef fenced = release_sequences_.fenced_for_gpu(thread);
  const auto [known, first] = by_task_[place.task].try_emplace(place.cta, fenced);
  if (first || known->second == nullptr) return;
  if (fenced != nullptr && fenced->covers(*known->second)) return;
  known->second = fenced != nullptr && known->second->covers(*fenced) ? fenced : nullptr;
}

ClockRef Launches::known(std::uint32_t task) const {
  ClockRef out;
  const auto found = by_task_.find(task);
  if (found == by_task_.end()) return out;
  for (const auto& [cta, clock] : found->second) out = join(out, clock);
  return out;
}

}  // namespace ptxmc::trace

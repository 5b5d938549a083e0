// SPDX-License-Identifier: Apache-2.0
#include "bridge/extract/rendezvous.h"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

namespace ptxmc::extract {

Rendezvous::Rendezvous(const Slice& slice) {
  for (const Entry& entry : slice.entries) {
    const auto* step = std::get_if<BarrierStep>(&entry.step);
    if (step == nullptr) continue;
    Meeting& meeting = meetings_[key(*step)];
    (step->arrives ? meeting.arrive : meeting.leave).insert(entry.thread);
    meeting.warps.insert(entry.thread / trace::kLanes);
  }
}

std::string Rendezvous::text(const BarrierStep& s, trace::Thread thread) const {
  const Meeting& meeting = meetings_.at(key(s));
  if (meeting.leave.empty() || (s.cluster && meeting.arrive.empty())) return {};
  if (s.cluster && !s.arrives) return "barrier.cluster.wait.acquire";
  if (s.cluster)
    return fmt::format("barrier.cluster.arrive{}",
                       s.semantics == isa::Semantics::relaxed ? ".relaxed" : ".release");
  // Who waits there when the first access happens has arrived before: all of it is written where it goes on.
  const bool again = !s.arrives && meeting.arrive.contains(thread);
  if (again || meeting.warps.size() < 2) return {};
  return fmt::format("barrier.cta.{} {}, {}", meeting.leave.contains(thread) ? "sync" : "arrive",
                     s.barrier.id, trace::kLanes * meeting.warps.size());
}

std::size_t Rendezvous::before_slice(std::uint32_t cluster, trace::Thread thread) const {
  return static_cast<std::size_t>(std::count_if(meetings_.begin(), meetings_.end(), [&](const auto& entry) {
    const auto& [key, meeting] = entry;
    return std::get<0>(key) && std::get<1>(key) == cluster && !meeting.arrive.empty() &&
           !meeting.leave.empty() && !meeting.arrive.contains(thread);
  }));
}

}  // namespace ptxmc::extract

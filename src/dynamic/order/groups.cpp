// SPDX-License-Identifier: Apache-2.0
#include "dynamic/order/groups.h"

namespace ptxmc::trace {

ClockRef Groups::told(Thread thread, Tracking tracking) const {
  const Time issued = this->issued(thread, tracking);
  if (issued == 0) return nullptr;
  ClockEdit edit(nullptr);
  const Agent agent = tracking == Tracking::cp_async ? Agent::cp_async : Agent::bulk_writes;
  edit.plane(OrderKind::base).threads[static_cast<std::size_t>(agent)].raise(lane_of(thread), issued);
  return edit.take();
}

void Groups::commit(Thread thread, Tracking tracking) {
  State& own = state(thread, tracking);
  own.groups.push_back(own.issued);
}

std::vector<MessageRef> Groups::wait(Thread thread, Tracking tracking, std::uint32_t pending,
                                     bool reads_only) {
  State& own = state(thread, tracking);
  if (own.groups.size() <= pending) return {};
  const std::size_t over = own.groups.size() - pending;
  const Time time = own.groups[over - 1];
  if (tracking == Tracking::cp_async) {
    threads_.learn_done(thread, Agent::cp_async, time);
  } else {
    threads_.learn_done(thread, Agent::bulk_reads, time);
    if (reads_only) return {};  // a later wait may ask for the writes of these groups
    threads_.learn_done(thread, Agent::bulk_writes, time);
  }
  own.groups.erase(own.groups.begin(), own.groups.begin() + static_cast<std::ptrdiff_t>(over));
  std::vector<MessageRef> observed;
  for (const auto& [issued, message] : own.read) {
    if (issued <= time) observed.push_back(message);
  }
  std::erase_if(own.read, [&](const auto& one) { return one.first <= time; });
  return observed;
}

}  // namespace ptxmc::trace

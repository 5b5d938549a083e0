// SPDX-License-Identifier: Apache-2.0
// Base relations about synchronization objects, and the life of the shared memory that they are in.
#include <map>

#include "event/barriers.h"
#include "event/base_rows.h"
#include "support/check.h"

namespace ptxmc::event::relations {

using relation::BitMatrix;

BitMatrix mobj(const Groups& groups) {
  BitMatrix out(groups.n);
  std::map<std::pair<std::uint32_t, Value>, std::vector<std::size_t>> by_object;
  for (std::size_t e = 0; e < groups.n; ++e) {
    if (!sets::mbarrier_operations(groups.event(e))) continue;
    const Mbarrier& operands = *groups.event(e).mbarrier;
    PTXMC_CHECK(groups.graph.exprs.is_constant(operands.object), "an mbarrier object of no fixed address");
    by_object[{operands.owner, groups.graph.exprs[operands.object].constant}].push_back(e);
  }
  for (const auto& [object, events] : by_object) {
    for (const std::size_t a : events) {
      for (const std::size_t b : events) {
        if (a != b) out.set(a, b);
      }
    }
  }
  return out;
}

// R17: a CTA's shared memory is there until its threads have exited.
BitMatrix life(const Groups& groups) {
  BitMatrix out(groups.n);
  std::map<std::uint32_t, std::vector<std::size_t>> ends;  // by CTA
  for (EventId e = 0; e < groups.n; ++e) {
    if (groups.event(e).thread == kNoThread) continue;
    if (is_thread_end(groups.graph, e)) ends[groups.thread(e).cta].push_back(e);
  }
  for (std::size_t e = 0; e < groups.n; ++e) {
    const Event& event = groups.event(e);
    if (event.thread == kNoThread || event.labels.allocates) continue;  // a pair deallocates together
    std::optional<std::uint32_t> owner;
    if (event.is_access()) owner = groups.graph.cells[event.cell].cta;
    if (sets::mbarrier_operations(event)) owner = event.mbarrier->owner;
    if (!owner || *owner == groups.thread(e).cta) continue;
    for (const std::size_t end : ends[*owner]) out.set(e, end);
  }
  return out;
}

}  // namespace ptxmc::event::relations

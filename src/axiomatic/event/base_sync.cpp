// SPDX-License-Identifier: Apache-2.0
// Base relations about synchronization objects, and the life of the shared memory that they are in.
#include <map>
#include <tuple>

#include "axiomatic/event/barriers.h"
#include "axiomatic/event/base_rows.h"
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

// The lanes of a warp come to their exchanges of one kind and mask in one order.
BitMatrix lanes(const Groups& groups) {
  BitMatrix out(groups.n);
  struct Met {
    std::vector<std::size_t> arrivals, waits;
  };
  std::map<std::tuple<std::uint32_t, int, Value, Expr, std::size_t>, Met> exchanges;
  std::map<std::tuple<ThreadId, Value, Expr, EventKind>, std::size_t> turns;
  for (std::size_t e = 0; e < groups.n; ++e) {
    const Event& event = groups.event(e);
    if (!event.barrier || !event.barrier->exchange || of_pair(*event.barrier) || !groups.thread(e).warp)
      continue;
    const Barrier& barrier = *event.barrier;
    const std::size_t turn = turns[{event.thread, barrier.instance, barrier.id, event.kind}]++;
    Met& met = exchanges[{groups.thread(e).cta, *groups.thread(e).warp, barrier.instance, barrier.id, turn}];
    (sets::arrivals(event) ? met.arrivals : met.waits).push_back(e);
  }
  for (const auto& [which, met] : exchanges) {
    for (const std::size_t a : met.arrivals) {
      for (const std::size_t w : met.waits) out.set(a, w);
    }
  }
  return out;
}

// R194: the memory of an object is its own from its init to its inval.
BitMatrix mbmem(const Groups& groups) {
  BitMatrix out(groups.n);
  const auto address = [&](const Event& event) {
    PTXMC_CHECK(groups.graph.exprs.is_constant(event.mbarrier->object),
                "an mbarrier object of no fixed address");
    return groups.graph.exprs[event.mbarrier->object].constant;
  };
  const auto add = [&](std::size_t from, const Event& object) {
    if (object.named.empty()) return;  // nothing accesses it
    for (const CellId cell : object.named) {
      groups.by_cell[cell].for_each([&](std::size_t access) {
        if (!sets::initial(groups.event(access))) out.set(from, access);
      });
    }
    for (std::size_t e = 0; e < groups.n; ++e) {
      const Event& event = groups.event(e);
      const bool same = e != from && sets::mbarrier_invals(event) &&
                        event.mbarrier->owner == object.mbarrier->owner && address(event) == address(object);
      if (same) out.set(from, e);
    }
  };
  for (std::size_t e = 0; e < groups.n; ++e) {
    const Event& event = groups.event(e);
    if (!sets::mbarrier_operations(event)) continue;
    if (sets::mbarrier_inits(event) || sets::mbarrier_invals(event)) add(e, event);
    for (const InitialMbarrier& initial : groups.graph.mbarriers) {
      if (initial.owner != event.mbarrier->owner || initial.object != address(event)) continue;
      for (const CellId cell : event.named) {
        groups.by_cell[cell].for_each([&](std::size_t w) {
          if (sets::initial(groups.event(w))) add(w, event);
        });
      }
    }
  }
  return out;
}

// R17: a CTA's shared memory is there until its threads have exited. What a thread itself does in its own CTA
// is before its exit; what its asynchronous operations do need not be.
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
    const bool in_flight = event.is_access() && event.issue != kNoEvent && !sets::tensor(event);
    if (!owner || (*owner == groups.thread(e).cta && !in_flight)) continue;
    for (const std::size_t end : ends[*owner]) out.set(e, end);
  }
  return out;
}

}  // namespace ptxmc::event::relations

// SPDX-License-Identifier: Apache-2.0
// The base relations that are known once a program is lowered. Matrices are filled by rows from groups of
// events where possible; n is the number of events.
#include <algorithm>
#include <map>
#include <optional>

#include "axiomatic/event/base_rows.h"
#include "axiomatic/event/guards.h"
#include "axiomatic/event/scope.h"
#include "support/check.h"

namespace ptxmc::event {
namespace {

using relation::BitMatrix;
using relation::BitSet;

/// Above this many different guards in a thread, pairs of exclusive events stay in po (they never exist
/// together, so that costs no precision, only edges).
constexpr std::size_t kGuardsCompared = 64;

void set_row(BitMatrix& matrix, std::size_t row, const BitSet& set) {
  for (std::size_t w = 0; w < set.words(); ++w) matrix.row(row)[w] |= set.data()[w];
}

/// Each of the set to each other.
void relate_all(BitMatrix& matrix, const BitSet& set) {
  set.for_each([&](std::size_t e) {
    set_row(matrix, e, set);
    matrix.reset(e, e);
  });
}

/// The pairs (a, b) for which keep(a, b).
template <typename F>
BitMatrix selected(const BitMatrix& pairs, F&& keep) {
  BitMatrix out(pairs.size());
  pairs.for_each([&](std::size_t a, std::size_t b) {
    if (keep(static_cast<EventId>(a), static_cast<EventId>(b))) out.set(a, b);
  });
  return out;
}

/// Drops the pairs of one thread's events whose guards contradict each other.
void drop_exclusive(const Groups& groups, const BitSet& thread, BitMatrix& po) {
  std::map<Expr, std::vector<std::size_t>> by_guard;
  thread.for_each([&](std::size_t e) { by_guard[groups.event(e).guard].push_back(e); });
  if (by_guard.size() < 2 || by_guard.size() > kGuardsCompared) return;
  std::vector<std::vector<Literal>> parts;
  std::vector<const std::vector<std::size_t>*> members;
  for (const auto& [guard, events] : by_guard) {
    parts.push_back(conjuncts(groups.graph.exprs, guard));
    members.push_back(&events);
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    for (std::size_t j = i + 1; j < parts.size(); ++j) {
      if (!exclude_each_other(parts[i], parts[j])) continue;
      for (const std::size_t a : *members[i]) {
        for (const std::size_t b : *members[j]) po.reset(std::min(a, b), std::max(a, b));
      }
    }
  }
}

/// Drops the pairs of one vector access: its elements are unordered among themselves (8.2.4, 8.2.5).
void drop_vectors(const Groups& groups, const BitSet& thread, BitMatrix& po) {
  std::map<EventId, std::vector<std::size_t>> by_vector;
  thread.for_each([&](std::size_t e) {
    if (groups.event(e).vector != kNoEvent) by_vector[groups.event(e).vector].push_back(e);
  });
  for (const auto& entry : by_vector) {
    for (const std::size_t a : entry.second) {
      for (const std::size_t b : entry.second) {
        if (groups.event(a).rmw_partner != b) po.reset(a, b);  // the halves of one element are one operation
      }
    }
  }
}

/// Adds read -> target for the reads that expression depends on.
void add_sources(const Groups& groups, Expr expression, std::size_t target, BitMatrix& out) {
  for (const EventId source : groups.graph.exprs.atoms(expression)) {
    if (groups.event(source).is_read()) out.set(source, target);
  }
}

/// The first issue event of an operation: a CTA pair deallocates by one instruction in each CTA (9.7.16.5).
EventId operation_of(const Groups& groups, EventId issue) {
  if (issue == kNoEvent) return issue;
  const TensorIssue& own = groups.event(issue).tensor;
  if (own.op != TensorOp::dealloc || own.cta_group != 2) return issue;
  for (EventId e = 0; e < issue; ++e) {
    const TensorIssue& other = groups.event(e).tensor;
    const bool pair = other.op == own.op && other.cta_group == 2 && other.memory == own.memory;
    if (pair && other.address == own.address) return e;
  }
  return issue;
}

std::size_t cells_in_common(const ProgramGraph& graph, EventId a, EventId b) {
  std::size_t common = 0;
  for (std::size_t k = 0; k < graph.slots_of(a); ++k) {
    if (graph.covers(b, graph.slot(graph.slot_of(a, k)).cell)) ++common;
  }
  return common;
}

/// Every cell of a is one of b.
bool all_cells_in(const ProgramGraph& graph, EventId a, EventId b) {
  return cells_in_common(graph, a, b) == graph.slots_of(a);
}

/// Two accesses cover the same cells.
bool same_cells(const ProgramGraph& graph, EventId a, EventId b) {
  return graph.slots_of(a) == graph.slots_of(b) && all_cells_in(graph, a, b);
}

}  // namespace

Groups::Groups(const ProgramGraph& g)
    : graph(g),
      n(g.size()),
      by_thread(g.threads.size(), BitSet(n)),
      by_cell(g.cells.size(), BitSet(n)),
      initial(n),
      in_threads(n),
      ploc(n) {
  for (EventId e = 0; e < n; ++e) {
    const Event& event = graph.events[e];
    if (event.thread == kNoThread) {
      initial.set(e);
    } else {
      if (event.issue == kNoEvent) by_thread[event.thread].set(e);
      in_threads.set(e);
    }
    if (!event.is_access()) continue;
    for (std::size_t k = 0; k < g.slots_of(e); ++k) by_cell[g.slot(g.slot_of(e, k)).cell].set(e);
  }
  for (const BitSet& cell : by_cell) relate_all(ploc, cell);
}

bool Groups::with_initial(std::size_t a, std::size_t b) const {
  return initial.test(a) || initial.test(b);
}

ThreadInfo Groups::placement(std::size_t e) const {
  ThreadInfo info = thread(e);
  if (event(e).kind == EventKind::signal && event(e).mbarrier) info.cta = event(e).mbarrier->owner;
  return info;
}

bool Groups::same_cta(std::size_t a, std::size_t b) const {
  return event(a).thread != kNoThread && event(b).thread != kNoThread && thread(a).cta == thread(b).cta;
}

namespace relations {

BitMatrix po(const Groups& groups) {
  BitMatrix out(groups.n);
  for (const BitSet& thread : groups.by_thread) {
    BitSet later = thread;
    thread.for_each([&](std::size_t e) {
      later.reset(e);
      set_row(out, e, later);
    });
    drop_vectors(groups, thread, out);
    drop_exclusive(groups, thread, out);
  }
  return out;
}

BitMatrix ploc(const Groups& groups) {
  return groups.ploc;
}

// IW has every mapping.
BitMatrix ov(const Groups& groups) {
  return selected(groups.ploc, [&](EventId a, EventId b) {
    return groups.with_initial(a, b) ||
           groups.event(a).labels.generic_name == groups.event(b).labels.generic_name;
  });
}

// Equal byte ranges are equal sets of cells.
BitMatrix full(const Groups& groups) {
  return selected(ov(groups), [&](EventId a, EventId b) { return same_cells(groups.graph, a, b); });
}

// The size of an initial write is unspecified (8.2.6), and so is that of a copy's elements (9.7.8.24).
BitMatrix uni(const Groups& groups) {
  return selected(groups.ploc, [&](EventId a, EventId b) {
    return groups.with_initial(a, b) || groups.event(a).labels.tile || groups.event(b).labels.tile ||
           same_cells(groups.graph, a, b);
  });
}

// What an initial write gives a byte it gives to its neighbours (8.2.6), wherever memory is divided.
BitMatrix spans(const Groups& groups) {
  return selected(groups.ploc, [&](EventId a, EventId b) {
    return groups.event(a).is_write() && groups.event(b).is_write() && !groups.initial.test(b) &&
           (groups.initial.test(a) || all_cells_in(groups.graph, b, a));
  });
}

// The size of a copy's elements is unspecified (8.7.2), so a copy of what a copy writes may take any part.
BitMatrix parts(const Groups& groups) {
  return selected(groups.ploc, [&](EventId w, EventId r) {
    return groups.event(w).is_write() && groups.event(r).is_read() &&
           !(groups.event(w).labels.tile && groups.event(r).labels.tile) &&
           cells_in_common(groups.graph, w, r) > 1;
  });
}

// A completion signal is placed in the CTA that owns its mbarrier object.
BitMatrix mscope(const Groups& groups) {
  BitMatrix out(groups.n);
  std::vector<std::size_t> scoped;
  groups.in_threads.for_each([&](std::size_t e) {
    if (groups.event(e).labels.scope != isa::Scope::none) scoped.push_back(e);
  });
  for (const std::size_t a : scoped) {
    const ThreadInfo at = groups.placement(a);
    for (const std::size_t b : scoped) {
      if (a == b) continue;
      const ThreadInfo other = groups.placement(b);
      if (includes(groups.event(a).labels.scope, at, other) &&
          includes(groups.event(b).labels.scope, other, at)) {
        out.set(a, b);
      }
    }
  }
  return out;
}

BitMatrix rmw(const Groups& groups) {
  BitMatrix out(groups.n);
  for (std::size_t e = 0; e < groups.n; ++e) {
    const Event& event = groups.event(e);
    if (event.is_read() && event.rmw_partner != kNoEvent) out.set(e, event.rmw_partner);
  }
  return out;
}

BitMatrix same(const Groups& groups) {
  BitMatrix out(groups.n);
  rmw(groups).for_each([&](std::size_t read, std::size_t write) {
    out.set(read, write);
    out.set(write, read);
  });
  std::map<EventId, BitSet> operations;  // by issue event
  for (std::size_t e = 0; e < groups.n; ++e) {
    const EventId issue = operation_of(groups, groups.event(e).issue);
    if (issue != kNoEvent) operations.try_emplace(issue, groups.n).first->second.set(e);
  }
  for (const auto& [issue, events] : operations) relate_all(out, events);
  return out;
}

BitMatrix data(const Groups& groups) {
  BitMatrix out(groups.n);
  for (std::size_t e = 0; e < groups.n; ++e) {
    if (groups.event(e).kind != EventKind::write) continue;
    for (std::size_t k = 0; k < groups.graph.slots_of(e); ++k) {
      add_sources(groups, groups.graph.slot(groups.graph.slot_of(e, k)).value, e, out);
    }
  }
  for (const auto& [read, write] : groups.graph.dependencies) out.set(read, write);
  return out;
}

// Address dependencies (D13). A constant address has none.
BitMatrix addr(const Groups& groups) {
  BitMatrix out(groups.n);
  for (std::size_t e = 0; e < groups.n; ++e) {
    if (groups.event(e).address) add_sources(groups, *groups.event(e).address, e, out);
  }
  return out;
}

BitMatrix ctrl(const Groups& groups) {
  BitMatrix out(groups.n);
  groups.in_threads.for_each([&](std::size_t e) { add_sources(groups, groups.event(e).guard, e, out); });
  return out;
}

BitMatrix dep(const Groups& groups) {
  BitMatrix out = data(groups);
  BitMatrix others = addr(groups);
  others |= ctrl(groups);
  others.for_each([&](std::size_t read, std::size_t e) {
    if (groups.event(e).is_write()) out.set(read, e);
  });
  for (const auto& [read, write] : groups.graph.exits) out.set(read, write);
  return out;
}

BitMatrix dependents(const Groups& groups) {
  BitMatrix out(groups.n);
  for (const auto& [from, to] : groups.graph.dependents) out.set(from, to);
  return out;
}

BitMatrix hostsync(const Groups& groups) {
  BitMatrix out(groups.n);
  for (const auto& [from, to] : groups.graph.api_sync) out.set(from, to);
  return out;
}

BitMatrix hostdev(const Groups& groups) {
  BitSet host(groups.n);
  BitSet device(groups.n);
  groups.in_threads.for_each([&](std::size_t e) { (groups.thread(e).host ? host : device).set(e); });
  BitMatrix out(groups.n);
  host.for_each([&](std::size_t e) { set_row(out, e, device); });
  device.for_each([&](std::size_t e) { set_row(out, e, host); });
  return out;
}

BitMatrix spx(const Groups& groups) {
  BitMatrix out(groups.n);
  BitSet generic(groups.n);
  std::vector<std::size_t> others;
  groups.in_threads.for_each([&](std::size_t e) {
    if (!groups.event(e).is_access()) return;
    if (groups.event(e).labels.proxy == isa::Proxy::generic) {
      generic.set(e);
    } else if (groups.event(e).labels.proxy != isa::Proxy::tensor) {  // it has an order of its own
      others.push_back(e);
    }
  });
  relate_all(out, generic);
  for (const std::size_t a : others) {
    for (const std::size_t b : others) {
      const isa::Proxy proxy = groups.event(a).labels.proxy;
      const bool near = proxy == isa::Proxy::async ? groups.thread(a).cluster == groups.thread(b).cluster
                                                   : groups.same_cta(a, b);
      if (a != b && proxy == groups.event(b).labels.proxy && near) {
        out.set(a, b);
      }
    }
  }
  return out;
}

BitMatrix internal(const Groups& groups) {
  BitMatrix out(groups.n);
  for (const BitSet& thread : groups.by_thread) relate_all(out, thread);
  return out;
}

BitMatrix external(const Groups& groups) {
  BitSet all(groups.n);
  all.set_all();
  BitMatrix out(groups.n);
  out.assign_product(all, all);
  out -= internal(groups);
  for (std::size_t e = 0; e < groups.n; ++e) out.reset(e, e);
  return out;
}

BitMatrix scta(const Groups& groups) {
  BitMatrix out(groups.n);
  std::map<std::uint32_t, BitSet> by_cta;
  groups.in_threads.for_each(
      [&](std::size_t e) { by_cta.try_emplace(groups.thread(e).cta, groups.n).first->second.set(e); });
  for (const auto& [cta, members] : by_cta) relate_all(out, members);
  return out;
}

// A thread that names no warp is a warp of its own.
BitMatrix swarp(const Groups& groups) {
  BitMatrix out(groups.n);
  std::map<std::pair<std::uint32_t, int>, BitSet> by_warp;
  groups.in_threads.for_each([&](std::size_t e) {
    const int alone = -1 - static_cast<int>(groups.event(e).thread);
    const ThreadInfo& thread = groups.thread(e);
    by_warp.try_emplace({thread.cta, thread.warp.value_or(alone)}, groups.n).first->second.set(e);
  });
  for (const auto& [warp, members] : by_warp) relate_all(out, members);
  return out;
}

BitMatrix vloc(const Groups& groups) {
  return selected(groups.ploc, [&](EventId a, EventId b) {
    return groups.with_initial(a, b) || groups.event(a).labels.name == groups.event(b).labels.name;
  });
}

}  // namespace relations
}  // namespace ptxmc::event

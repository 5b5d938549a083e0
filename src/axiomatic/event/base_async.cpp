// SPDX-License-Identifier: Apache-2.0
// Base relations about proxies (8.6) and asynchronous operations (8.9.1.1).
#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "axiomatic/event/base_rows.h"

namespace ptxmc::event {
namespace {

using relation::BitMatrix;

/// The cluster of a CTA; nothing when no thread of the test is in it.
std::optional<std::uint32_t> cluster_of(const ProgramGraph& graph, std::uint32_t cta) {
  for (const ThreadInfo& thread : graph.threads) {
    if (!thread.host && thread.cta == cta) return thread.cluster;
  }
  return std::nullopt;
}

/// What a proxy fence that names a state space is for: .shared::cta means the fence's own CTA,
/// .shared::cluster its cluster (9.7.12.4).
bool covers_space(const Groups& groups, std::size_t fence, std::size_t access) {
  const Event& event = groups.event(access);
  const std::optional<std::uint32_t> owner =
      event.mbarrier ? event.mbarrier->owner : groups.graph.cells[event.cell].cta;
  switch (groups.event(fence).labels.space) {
    case isa::Space::global:
      return groups.event(access).labels.space == isa::Space::global;
    case isa::Space::shared_cta:
      return owner == groups.thread(fence).cta;
    case isa::Space::shared_cluster:
      return owner && cluster_of(groups.graph, *owner) == groups.thread(fence).cluster;
    default:
      return true;
  }
}

/// A fence for a range of memory covers what lies in it; a release of the tensormap proxy covers every map.
bool covers_range(const Groups& groups, std::size_t fence, std::size_t access) {
  const Event& event = groups.event(fence);
  if (event.labels.proxy != isa::Proxy::tensormap) return true;
  if (event.named.empty()) return event.labels.semantics == isa::Semantics::release;
  for (std::size_t k = 0; k < groups.graph.slots_of(static_cast<EventId>(access)); ++k) {
    const CellId cell = groups.graph.slot(groups.graph.slot_of(static_cast<EventId>(access), k)).cell;
    if (std::find(event.named.begin(), event.named.end(), cell) == event.named.end()) return false;
  }
  return true;
}

constexpr int kWarpsOfGroup = 4;  // 9.7.14: contiguous warps, the first a multiple of it

/// Groups of wgmma.mma_async of one warp.
struct Products {
  bool known = true;                        // its commits and waits are executed on every path
  std::size_t committed = 0;                // groups
  std::map<EventId, std::size_t> group_of;  // by access, from 0
  std::map<EventId, std::size_t> over;      // by wait: groups that are complete behind it
};

Products products_of(const ProgramGraph& graph, ThreadId thread) {
  Products out;
  for (EventId e = 0; e < graph.size(); ++e) {
    const Event& event = graph.events[e];
    if (event.thread != thread) continue;
    const bool commits = event.opcode == isa::Opcode::wgmma_commit;
    const bool waits = event.opcode == isa::Opcode::wgmma_wait;
    if (commits || waits) out.known = out.known && graph.exprs.is_true(event.guard);
    if (commits) ++out.committed;
    if (waits) out.over.emplace(e, 0);
    if (event.is_access() && event.opcode == isa::Opcode::wgmma_mma) out.group_of.emplace(e, out.committed);
  }
  for (const auto& [access, wait] : graph.completed) {
    const auto group = out.group_of.find(access);
    const auto over = out.over.find(wait);
    if (group != out.group_of.end() && over != out.over.end())
      over->second = std::max(over->second, group->second + 1);
  }
  return out;
}

void wait_for(const Products& waiter, const Products& issuer, BitMatrix& out) {
  for (const auto& [wait, over] : waiter.over) {
    for (const auto& [access, group] : issuer.group_of) {
      if (group < over) out.set(access, wait);
    }
  }
}

}  // namespace

namespace relations {

BitMatrix pf_any(const Groups& groups) {
  BitMatrix out(groups.n);
  for (std::size_t f = 0; f < groups.n; ++f) {
    const bool api = sets::api(groups.event(f));  // all proxies but tensormap
    if (!api && groups.event(f).kind != EventKind::proxy_fence) continue;
    for (std::size_t e = 0; e < groups.n; ++e) {
      if (!groups.event(e).is_access() || groups.event(e).thread == kNoThread) continue;
      const isa::Proxy proxy = groups.event(e).labels.proxy;
      if (!api && !(covers_space(groups, f, e) && covers_range(groups, f, e))) continue;
      if (api ? proxy != isa::Proxy::generic && proxy != isa::Proxy::tensormap && proxy != isa::Proxy::tensor
              : proxy == groups.event(f).labels.proxy) {
        out.set(f, e);
      }
    }
  }
  return out;
}

// Kernel boundaries reach the caches of every CTA. A change of a tensor map is released where it was made, and acquired
// in the thread block that uses the map (D2, 9.7.12.4).
BitMatrix pf(const Groups& groups) {
  BitMatrix out = pf_any(groups);
  pf_any(groups).for_each([&](std::size_t f, std::size_t e) {
    const isa::Proxy proxy = groups.event(e).labels.proxy;
    const bool releases = groups.event(f).labels.semantics == isa::Semantics::release;
    const bool anywhere = proxy == isa::Proxy::async || (proxy == isa::Proxy::tensormap && releases);
    if (!sets::api(groups.event(f)) && !anywhere && !groups.same_cta(f, e)) out.reset(f, e);
  });
  return out;
}

BitMatrix restricts(const Groups& groups) {
  BitMatrix out(groups.n);
  for (std::size_t f = 0; f < groups.n; ++f) {
    if (!sets::restricted_release(groups.event(f)) && !sets::restricted_acquire(groups.event(f))) continue;
    for (std::size_t e = 0; e < groups.n; ++e) {
      const Event& event = groups.event(e);
      const bool on_memory = event.is_access() && event.kind != EventKind::initial_write;
      if ((on_memory || event.mbarrier) && covers_space(groups, f, e)) out.set(f, e);
    }
  }
  return out;
}

BitMatrix issue(const Groups& groups) {
  BitMatrix out(groups.n);
  for (std::size_t e = 0; e < groups.n; ++e) {
    if (groups.event(e).issue != kNoEvent) out.set(groups.event(e).issue, e);
  }
  return out;
}

BitMatrix own(const Groups& groups) {
  BitMatrix out(groups.n);
  for (const auto& [access, signal] : groups.graph.tracked) out.set(access, signal);
  return out;
}

BitMatrix done(const Groups& groups) {
  BitMatrix out(groups.n);
  for (const auto& [access, wait] : groups.graph.completed) out.set(access, wait);
  return out;
}

// 9.7.14.7.2, R249: the n-th groups of the warps of a warpgroup are one.
BitMatrix wgdone(const Groups& groups) {
  BitMatrix out(groups.n);
  std::map<std::pair<std::uint32_t, int>, std::vector<Products>> warpgroups;
  for (ThreadId t = 0; t < groups.graph.threads.size(); ++t) {
    const ThreadInfo& info = groups.graph.threads[t];
    if (info.host || !info.warp) continue;
    Products products = products_of(groups.graph, t);
    if (products.known && products.committed != 0)
      warpgroups[{info.cta, *info.warp / kWarpsOfGroup}].push_back(std::move(products));
  }
  for (const auto& [place, warps] : warpgroups) {
    for (const Products& waiter : warps) {
      for (const Products& issuer : warps) {
        if (&waiter != &issuer) wait_for(waiter, issuer, out);
      }
    }
  }
  return out;
}

// R232: what waits for a grid waits for the operations that its threads issued, too.
BitMatrix gridend(const Groups& groups) {
  BitMatrix out(groups.n);
  for (const auto& [end, waiting] : groups.graph.api_sync) {
    for (std::size_t e = 0; e < groups.n; ++e) {
      const Event& access = groups.event(e);
      const bool asynchronous = access.issue != kNoEvent && access.is_access() && !access.labels.allocates;
      if (asynchronous && access.thread == groups.event(end).thread) out.set(e, waiting);
    }
  }
  return out;
}

}  // namespace relations
}  // namespace ptxmc::event

// SPDX-License-Identifier: Apache-2.0
// Base relations about proxies (8.6) and asynchronous operations (8.9.1.1).
#include <algorithm>
#include <optional>

#include "event/base_rows.h"

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
  const std::optional<std::uint32_t> owner = groups.graph.cells[groups.event(access).cell].cta;
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

// Kernel boundaries reach the caches of every CTA.
BitMatrix pf(const Groups& groups) {
  BitMatrix out = pf_any(groups);
  pf_any(groups).for_each([&](std::size_t f, std::size_t e) {
    const isa::Proxy proxy = groups.event(e).labels.proxy;
    const bool anywhere = proxy == isa::Proxy::async || proxy == isa::Proxy::tensormap;
    if (!sets::api(groups.event(f)) && !anywhere && !groups.same_cta(f, e)) out.reset(f, e);
  });
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

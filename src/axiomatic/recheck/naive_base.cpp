// SPDX-License-Identifier: Apache-2.0
// The base relations, each as the question whether it holds of one pair.
#include "axiomatic/recheck/naive_base.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>

namespace ptxmc::check {
namespace {

using event::CellId;
using event::Event;
using event::EventId;
using event::EventKind;
using event::Expr;
using event::kNoEvent;
using event::ProgramGraph;
using event::TensorIssue;
using event::TensorOp;
using isa::Proxy;
using isa::Scope;
using isa::Semantics;
using V = const BaseView&;

/// The reads below an expression, by a walk over its nodes.
std::vector<EventId> reads_below(const ProgramGraph& graph, const std::vector<Expr>& roots) {
  std::set<Expr> visited(roots.begin(), roots.end());
  std::vector<Expr> open(visited.begin(), visited.end());
  std::set<EventId> found;
  while (!open.empty()) {
    const event::Node node = graph.exprs[open.back()];
    open.pop_back();
    if (node.op == event::Op::value_of) {
      if (graph.events[node.atom].kind == EventKind::read) found.insert(node.atom);
      continue;
    }
    const Expr operands[] = {node.a, node.b, node.c};
    for (int k = 0; k < event::arity(node.op); ++k) {
      if (visited.insert(operands[k]).second) open.push_back(operands[k]);
    }
  }
  return {found.begin(), found.end()};
}

bool contains(const std::vector<EventId>& ascending, EventId e) {
  return std::binary_search(ascending.begin(), ascending.end(), e);
}

/// In program order: performed by a thread itself (8.9.1.1).
bool performed(V v, EventId e) {
  return !v.threadless(e) && v.at(e).issue == kNoEvent;
}

// ---- Program order, dependencies ----

bool po(V v, EventId a, EventId b) {
  if (!performed(v, a) || !performed(v, b) || v.at(a).thread != v.at(b).thread || a >= b) return false;
  if (v.at(a).rmw_partner == b) return true;
  return v.at(a).vector == kNoEvent || v.at(a).vector != v.at(b).vector;  // 8.2.4
}

bool internal(V v, EventId a, EventId b) {
  return a != b && performed(v, a) && performed(v, b) && v.at(a).thread == v.at(b).thread;
}

bool external(V v, EventId a, EventId b) {
  return a != b && !internal(v, a, b);
}

bool data(V v, EventId a, EventId b) {
  if (v.at(b).kind == EventKind::write && contains(v.in_value[b], a)) return true;
  return listed(v.graph.dependencies, std::pair(a, b));
}

bool addr(V v, EventId a, EventId b) {
  return contains(v.in_address[b], a);
}

bool ctrl(V v, EventId a, EventId b) {
  return !v.threadless(b) && contains(v.in_guard[b], a);
}

bool dep(V v, EventId a, EventId b) {
  if (listed(v.graph.exits, std::pair(a, b))) return true;
  return data(v, a, b) || (v.at(b).is_write() && (addr(v, a, b) || ctrl(v, a, b)));
}

// ---- Locations ----

bool ploc(V v, EventId a, EventId b) {
  auto x = v.cells[a].begin(), y = v.cells[b].begin();
  while (x != v.cells[a].end() && y != v.cells[b].end() && *x != *y) *x < *y ? ++x : ++y;
  return a != b && x != v.cells[a].end() && y != v.cells[b].end();
}

bool ov(V v, EventId a, EventId b) {
  const bool mapped =
      v.initial(a) || v.initial(b) || v.at(a).labels.generic_name == v.at(b).labels.generic_name;
  return mapped && ploc(v, a, b);
}

bool full(V v, EventId a, EventId b) {
  return v.cells[a] == v.cells[b] && ov(v, a, b);
}

bool uni(V v, EventId a, EventId b) {
  const auto of_any_size = [&](EventId e) { return v.initial(e) || v.at(e).labels.tile; };
  return (of_any_size(a) || of_any_size(b) || v.cells[a] == v.cells[b]) && ploc(v, a, b);
}

/// Whatever byte the write b gives, the write a gives too (8.9.7).
bool spans(V v, EventId a, EventId b) {
  if (!v.at(a).is_write() || v.at(b).kind != EventKind::write || !ploc(v, a, b)) return false;
  return v.initial(a) ||
         std::includes(v.cells[a].begin(), v.cells[a].end(), v.cells[b].begin(), v.cells[b].end());
}

bool parts(V v, EventId a, EventId b) {
  if (!v.at(a).is_write() || !v.at(b).is_read() || a == b) return false;
  if (v.at(a).labels.tile && v.at(b).labels.tile) return false;
  std::vector<CellId> common;
  std::set_intersection(v.cells[a].begin(), v.cells[a].end(), v.cells[b].begin(), v.cells[b].end(),
                        std::back_inserter(common));
  return common.size() >= 2;
}

bool vloc(V v, EventId a, EventId b) {
  const bool named = v.initial(a) || v.initial(b) || v.at(a).labels.name == v.at(b).labels.name;
  return named && ploc(v, a, b);
}

// ---- Scopes and places (8.5) ----

struct Place {
  bool host = false;
  int gpu = 0;
  std::uint32_t cluster = 0, cta = 0;
};

/// Where an event counts as being: a completion signal in the CTA that owns its mbarrier object.
Place place(V v, EventId e) {
  const event::ThreadInfo& own = v.thread(e);
  Place at{own.host, own.gpu, own.cluster, own.cta};
  if (v.at(e).kind == EventKind::signal && v.at(e).mbarrier) at.cta = v.at(e).mbarrier->owner;
  return at;
}

bool includes(Scope scope, const Place& from, const Place& to) {
  if (scope == Scope::sys) return true;
  if (scope == Scope::none || from.host != to.host) return false;
  if (scope == Scope::cta) return from.cta == to.cta;
  if (scope == Scope::cluster) return from.cluster == to.cluster;
  return !from.host && from.gpu == to.gpu;
}

bool mscope(V v, EventId a, EventId b) {
  if (a == b || v.threadless(a) || v.threadless(b)) return false;
  const Place here = place(v, a), there = place(v, b);
  return includes(v.at(a).labels.scope, here, there) && includes(v.at(b).labels.scope, there, here);
}

bool scta(V v, EventId a, EventId b) {
  return a != b && v.in_one_cta(a, b);
}

bool swarp(V v, EventId a, EventId b) {
  if (a == b || !v.in_one_cta(a, b)) return false;
  return v.at(a).thread == v.at(b).thread || (v.thread(a).warp && v.thread(a).warp == v.thread(b).warp);
}

bool hostdev(V v, EventId a, EventId b) {
  return !v.threadless(a) && !v.threadless(b) && v.thread(a).host != v.thread(b).host;
}

bool hostsync(V v, EventId a, EventId b) {
  return listed(v.graph.api_sync, std::pair(a, b));
}

// ---- Operations ----

bool rmw(V v, EventId a, EventId b) {
  return v.at(a).kind == EventKind::read && v.at(a).rmw_partner == b && b != kNoEvent;
}

bool issue(V v, EventId a, EventId b) {
  return v.at(b).issue == a;
}

bool dependents(V v, EventId a, EventId b) {
  return listed(v.graph.dependents, std::pair(a, b));
}

/// tcgen05.dealloc by a pair of CTAs is one operation, of one instruction in each (9.7.16.5).
bool one_dealloc(const TensorIssue& a, const TensorIssue& b) {
  const auto by_pair = [](const TensorIssue& it) { return it.op == TensorOp::dealloc && it.cta_group == 2; };
  return by_pair(a) && by_pair(b) && a.memory == b.memory && a.address == b.address;
}

bool same(V v, EventId a, EventId b) {
  if (a == b) return false;
  if (rmw(v, a, b) || rmw(v, b, a)) return true;
  const EventId first = v.at(a).issue, second = v.at(b).issue;
  if (first == kNoEvent || second == kNoEvent) return false;
  return first == second || one_dealloc(v.at(first).tensor, v.at(second).tensor);
}

bool own(V v, EventId a, EventId b) {
  return listed(v.graph.tracked, std::pair(a, b));
}

bool done(V v, EventId a, EventId b) {
  return listed(v.graph.completed, std::pair(a, b));
}

bool of_products(V v, EventId e, isa::Opcode opcode) {
  return v.at(e).thread != event::kNoThread && v.at(e).opcode == opcode;
}

/// The group of its warp that an access of a wgmma.mma_async is in, from 0.
std::ptrdiff_t product_group(V v, EventId e) {
  std::ptrdiff_t before = 0;
  for (EventId c = 0; c < e; ++c) {
    if (of_products(v, c, isa::Opcode::wgmma_commit) && v.at(c).thread == v.at(e).thread) ++before;
  }
  return before;
}

/// Its commits and waits are always executed.
bool counts_products(V v, event::ThreadId thread) {
  for (EventId e = 0; e < v.graph.size(); ++e) {
    const bool counts =
        of_products(v, e, isa::Opcode::wgmma_commit) || of_products(v, e, isa::Opcode::wgmma_wait);
    if (counts && v.at(e).thread == thread && !v.graph.exprs.is_true(v.at(e).guard)) return false;
  }
  return true;
}

/// The wait is behind a group of its own warp that is as late as that of the other warp's access.
bool wgdone(V v, EventId a, EventId b) {
  if (!v.access(a) || !of_products(v, a, isa::Opcode::wgmma_mma)) return false;
  if (!of_products(v, b, isa::Opcode::wgmma_wait) || v.at(a).thread == v.at(b).thread) return false;
  const event::ThreadInfo &issuer = v.thread(a), &waiter = v.thread(b);
  if (issuer.cta != waiter.cta || !issuer.warp || !waiter.warp || *issuer.warp / 4 != *waiter.warp / 4)
    return false;
  if (!counts_products(v, v.at(a).thread) || !counts_products(v, v.at(b).thread)) return false;
  return std::any_of(v.graph.completed.begin(), v.graph.completed.end(), [&](const auto& own) {
    return own.second == b && of_products(v, own.first, isa::Opcode::wgmma_mma) &&
           product_group(v, own.first) >= product_group(v, a);
  });
}

/// A thread of the grid that b waits for issued the access (R232).
bool gridend(V v, EventId a, EventId b) {
  if (!v.access(a) || v.at(a).issue == kNoEvent || v.at(a).labels.allocates) return false;
  return std::any_of(v.graph.api_sync.begin(), v.graph.api_sync.end(), [&](const auto& pair) {
    return pair.second == b && v.at(pair.first).thread == v.at(a).thread;
  });
}

// ---- Proxies (8.6) ----

std::optional<std::uint32_t> cluster_of_cta(const ProgramGraph& graph, std::uint32_t cta) {
  for (const event::ThreadInfo& thread : graph.threads) {
    if (!thread.host && thread.cta == cta) return thread.cluster;
  }
  return std::nullopt;
}

/// The memory that a proxy fence is for has the access in it (9.7.12.4).
bool fenced(V v, EventId fence, EventId e) {
  const Event& it = v.at(fence);
  const std::optional<std::uint32_t> owner = v.graph.cells[v.cells[e].front()].cta;
  if (it.labels.proxy == Proxy::tensormap) {
    if (it.labels.semantics == Semantics::release && it.named.empty()) return true;
    return std::all_of(v.cells[e].begin(), v.cells[e].end(),
                       [&](CellId cell) { return listed(it.named, cell); });
  }
  if (it.labels.space == isa::Space::global) return !owner;
  if (it.labels.space == isa::Space::shared_cta) return owner && *owner == v.thread(fence).cta;
  if (it.labels.space == isa::Space::shared_cluster)
    return owner && cluster_of_cta(v.graph, *owner) == v.thread(fence).cluster;
  return true;
}

bool pf_any(V v, EventId a, EventId b) {
  if (!v.access(b) || v.initial(b)) return false;
  const Proxy proxy = v.at(b).labels.proxy;
  if (v.at(a).kind == EventKind::api)
    return proxy != Proxy::generic && proxy != Proxy::tensormap && proxy != Proxy::tensor;
  return v.at(a).kind == EventKind::proxy_fence && v.at(a).labels.proxy == proxy && fenced(v, a, b);
}

bool pf(V v, EventId a, EventId b) {
  if (!pf_any(v, a, b)) return false;
  const bool near = v.of_proxy(b, Proxy::constant) || v.of_proxy(b, Proxy::texture) ||
                    v.of_proxy(b, Proxy::surface) ||  // caches of a CTA
                    (v.of_proxy(b, Proxy::tensormap) && v.at(a).labels.semantics == Semantics::acquire);
  return !near || v.at(a).kind == EventKind::api || v.in_one_cta(a, b);
}

/// The shared memory of the CTA, or of any CTA of the cluster (9.7.12.4).
bool restricts(V v, EventId a, EventId b) {
  const Event& fence = v.at(a);
  const bool names =
      fence.labels.space == isa::Space::shared_cta || fence.labels.space == isa::Space::shared_cluster;
  if (fence.kind != EventKind::fence || !names || v.initial(b)) return false;
  std::optional<std::uint32_t> owner;
  if (v.at(b).mbarrier) owner = v.at(b).mbarrier->owner;
  if (!owner && v.access(b)) owner = v.graph.cells[v.cells[b].front()].cta;
  if (!owner) return false;
  if (fence.labels.space == isa::Space::shared_cta) return *owner == v.thread(a).cta;
  return std::any_of(v.graph.threads.begin(), v.graph.threads.end(), [&](const event::ThreadInfo& thread) {
    return !thread.host && thread.cta == *owner && thread.cluster == v.thread(a).cluster;
  });
}

bool spx(V v, EventId a, EventId b) {
  if (a == b || !v.access(a) || !v.access(b) || v.initial(a) || v.initial(b)) return false;
  const Proxy proxy = v.at(a).labels.proxy;
  if (proxy != v.at(b).labels.proxy || proxy == Proxy::tensor) return false;
  if (proxy == Proxy::generic) return true;
  return proxy == Proxy::async ? v.thread(a).cluster == v.thread(b).cluster : v.in_one_cta(a, b);
}

const std::map<std::string_view, NaiveRelated>& relation_rows() {
  static const std::map<std::string_view, NaiveRelated> rows = {
      {"po", po},
      {"int", internal},
      {"ext", external},
      {"ploc", ploc},
      {"loc", ploc},
      {"ov", ov},
      {"full", full},
      {"uni", uni},
      {"spans", spans},
      {"parts", parts},
      {"vloc", vloc},
      {"mscope", mscope},
      {"sr", mscope},
      {"restricts", restricts},
      {"scta", scta},
      {"swarp", swarp},
      {"rmw", rmw},
      {"same", same},
      {"data", data},
      {"addr", addr},
      {"ctrl", ctrl},
      {"dep", dep},
      {"pf", pf},
      {"pf-any", pf_any},
      {"hostsync", hostsync},
      {"dependents", dependents},
      {"hostdev", hostdev},
      {"spx", spx},
      {"issue", issue},
      {"own", own},
      {"done", done},
      {"wgdone", wgdone},
      {"gridend", gridend},
  };
  return rows;
}

}  // namespace

BaseView::BaseView(const ProgramGraph& program)
    : graph(program),
      cells(program.size()),
      in_value(program.size()),
      in_address(program.size()),
      in_guard(program.size()) {
  for (EventId e = 0; e < graph.size(); ++e) {
    const Event& event = graph.events[e];
    in_guard[e] = reads_below(graph, {event.guard});
    if (event.address) in_address[e] = reads_below(graph, {*event.address});
    const bool reads = event.kind == EventKind::read, stores = event.kind == EventKind::write;
    if (!reads && !stores && event.kind != EventKind::initial_write) continue;
    std::vector<Expr> values{event.value};
    cells[e].push_back(event.cell);
    for (std::uint32_t p = event.first_part; p < event.first_part + event.part_count; ++p) {
      cells[e].push_back(graph.parts[p].cell);
      values.push_back(graph.parts[p].value);
    }
    std::sort(cells[e].begin(), cells[e].end());
    if (stores) in_value[e] = reads_below(graph, values);
  }
}

NaiveRelated naive_relation(std::string_view name) {
  const auto found = relation_rows().find(name);
  if (found != relation_rows().end()) return found->second;
  const NaiveRelated of_objects = naive_object_relation(name);
  return of_objects != nullptr ? of_objects : naive_tensor_relation(name);
}

}  // namespace ptxmc::check

// SPDX-License-Identifier: Apache-2.0
// One function per base set and base relation; internal to this folder. base.cpp has the table that names
// them.
#pragma once

#include <vector>

#include "axiomatic/event/program_graph.h"
#include "model/relation/bits.h"

namespace ptxmc::event {

/// A program graph with its events grouped, so that relations are built from whole rows.
struct Groups {
  explicit Groups(const ProgramGraph& graph);

  const ProgramGraph& graph;
  std::size_t n;
  std::vector<relation::BitSet> by_thread;  // events of each thread, but asynchronous ones
  std::vector<relation::BitSet> by_cell;    // accesses of each cell, initial write included
  relation::BitSet initial;
  relation::BitSet in_threads;  // all but the initial writes
  relation::BitMatrix ploc;     // accesses that share a cell

  const Event& event(std::size_t e) const { return graph.events[e]; }
  const ThreadInfo& thread(std::size_t e) const { return graph.threads[graph.events[e].thread]; }
  /// Where an event counts as being: its thread, but a completion signal is in the CTA of its mbarrier
  /// object.
  ThreadInfo placement(std::size_t e) const;
  bool same_cta(std::size_t a, std::size_t b) const;      ///< false when one is an initial write
  bool with_initial(std::size_t a, std::size_t b) const;  ///< one of them is an initial write
};

// ---- Sets: is the event a member? ----
namespace sets {
bool reads(const Event&);
bool writes(const Event&);
bool accesses(const Event&);
bool initial(const Event&);
bool relaxed(const Event&);
bool acquire(const Event&);
bool release(const Event&);
bool weak(const Event&);
bool no_return_reads(const Event&);
bool atomics(const Event&);
bool fences(const Event&);
bool fence_sc(const Event&);
bool fence_acq_rel(const Event&);
bool fence_release(const Event&);
bool fence_acquire(const Event&);
bool restricted_release(const Event&);
bool restricted_acquire(const Event&);
bool launches(const Event&);
bool acq_rel(const Event&);
bool barriers(const Event&);
bool arrivals(const Event&);
bool waits(const Event&);
bool init_fences(const Event&);
bool mbarrier_operations(const Event&);
bool mbarrier_inits(const Event&);
bool mbarrier_invals(const Event&);
bool api(const Event&);
bool proxy_fences(const Event&);
bool alias_fences(const Event&);
bool alias_releases(const Event&);
bool alias_acquires(const Event&);
bool proxy_releases(const Event&);
bool proxy_releases_of_reads(const Event&);
bool proxy_acquires(const Event&);
bool generic(const Event&);
bool async(const Event&);
bool issues(const Event&);
bool wgmma_issues(const Event&);
bool wgmma_fences(const Event&);
bool asynchronous(const Event&);
bool tensor(const Event&);
bool tensor_issues(const Event&);
bool tensor_allocations(const Event&);
bool tensor_allocs(const Event&);
bool tensor_frees(const Event&);
bool tensor_before(const Event&);
bool tensor_after(const Event&);
bool constant(const Event&);
bool texture(const Event&);
bool surface(const Event&);
template <isa::Scope kScope>
bool of_scope(const Event& e) {
  return e.labels.scope == kScope;
}
}  // namespace sets

// ---- Relations ----
namespace relations {
relation::BitMatrix po(const Groups&);
relation::BitMatrix ploc(const Groups&);
relation::BitMatrix ov(const Groups&);
relation::BitMatrix full(const Groups&);
relation::BitMatrix uni(const Groups&);
relation::BitMatrix spans(const Groups&);
relation::BitMatrix parts(const Groups&);
relation::BitMatrix mscope(const Groups&);
relation::BitMatrix rmw(const Groups&);
relation::BitMatrix same(const Groups&);
relation::BitMatrix data(const Groups&);
relation::BitMatrix addr(const Groups&);
relation::BitMatrix ctrl(const Groups&);
relation::BitMatrix dep(const Groups&);
relation::BitMatrix pf(const Groups&);
relation::BitMatrix pf_any(const Groups&);
relation::BitMatrix issue(const Groups&);
relation::BitMatrix own(const Groups&);
relation::BitMatrix done(const Groups&);
relation::BitMatrix wgdone(const Groups&);
relation::BitMatrix gridend(const Groups&);
relation::BitMatrix hostsync(const Groups&);
relation::BitMatrix dependents(const Groups&);
relation::BitMatrix hostdev(const Groups&);
relation::BitMatrix spx(const Groups&);
relation::BitMatrix internal(const Groups&);
relation::BitMatrix external(const Groups&);
relation::BitMatrix scta(const Groups&);
relation::BitMatrix swarp(const Groups&);
relation::BitMatrix vloc(const Groups&);
relation::BitMatrix spin(const Groups&);
relation::BitMatrix mobj(const Groups&);
relation::BitMatrix lanes(const Groups&);
relation::BitMatrix mbmem(const Groups&);
relation::BitMatrix life(const Groups&);
relation::BitMatrix pair(const Groups&);
relation::BitMatrix operands(const Groups&);
relation::BitMatrix operands_from_one(const Groups&);
relation::BitMatrix restricts(const Groups&);
relation::BitMatrix misallocation(const Groups&);
relation::BitMatrix freed(const Groups&);
relation::BitMatrix othergroup(const Groups&);
}  // namespace relations

}  // namespace ptxmc::event

// SPDX-License-Identifier: Apache-2.0
// Edges of cycles, in the vocabulary of diy7 (Alglave, Maranget, Sarkar, Sewell: Fences in Weak Memory Models, CAV 2010;
// the manual of herdtools7, part "diy"), with what PTX adds: scopes, its fences, barriers.
//
//   Rfe Rfi Fre Fri Coe Coi (Wse Wsi)   communication, external or internal to a thread
//   Pod** Pos**                         program order, to a different or the same location; * is R, W, or either
//   DpAddr[sd]* DpData[sd]W DpCtrl[sd]* dependencies
//   Rmw                                 from the read to the write of one atom.exch
//   Fence.SEM.SCOPE[sd]**, Membar.*     program order with a fence between; without [sd]**: d**
//   Fence.proxy.*[sd]**                 the same with a proxy fence: alias, async
//   Wait[sd]**                          on in the thread, past a wait for the asynchronous access
//   Wgmma.fence[sd]**                   on in the thread, past wgmma.fence
//   Tcgen05.before[sd]** .after         on in the thread, past the wait for the access to tensor memory and the fence before threads
//                                       synchronize; past the fence behind that, to an access to tensor memory
//   Tcgen05.commit[sd]**                on in the thread, past the commit of an mma or a cp, the wait for that, and the fence behind it
//   BarSync[sd]** BarCluster MBarrier   to another thread, through a barrier that both are at; MBarrier of an asynchronous access:
//                                       where it completes
//   MBarrier.cluster[sd]**              to a thread of another CTA of the cluster, by an arrival at its mbarrier object; of an mma or
//                                       a cp by a multicast commit
//   Tcgen05[sd]** .cluster              to another thread, with all that accesses to tensor memory need; to one of another CTA
//
// Behind an edge, or as words between edges that speak of the access there: P A L X (weak, acquire, release, relaxed) behind;
// Weak, Relaxed.SCOPE, Acquire.SCOPE, Release.SCOPE (Rlx, Acq, Rel), Alias, and Bulk, CpAsync, Multicast, Tensor, Mma, Cp, Mma.a, Mma.b,
// Pair, Wgmma, Wgmma.a, Unfenced between.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "generate/sketch.h"
#include "support/source.h"

namespace ptxmc::generate {

enum class Direction : std::uint8_t { any, read, write };

enum class Link : std::uint8_t {
  reads_from,
  from_reads,
  coherence,
  program_order,
  dependency,
  atomic,  ///< Rmw
  fence,
  proxy,
  wait,     ///< for the access at which it begins
  tensor,   ///< with a fence of tcgen05: `word` says which
  barrier,  ///< to another thread
};

struct Edge {
  Link link = Link::program_order;
  bool external = false;  ///< to another thread
  bool same = true;       ///< to the same location
  Direction from = Direction::any, to = Direction::any;
  Dependency dependency = Dependency::none;
  Order order = {};  ///< of a fence
  /// of a proxy fence, its instruction; of a barrier, its kind; of a tensor fence, "before", "after" or
  /// "commit"
  std::string word = {};
  std::string text = {};  ///< as it was written
  Position position = {};
};

/// What a word between two edges says of the access there.
struct Mark {
  std::optional<isa::Semantics> semantics;
  std::optional<isa::Scope> scope;
  bool alias = false, unfenced = false, pair = false;
  /// bulk for either kind of bulk copy, tensor_copy for either end of tcgen05.cp
  std::optional<AccessKind> access_kind = {};
  std::string text = {};  ///< that says so
  Position position = {};
  std::vector<std::string> words = {};  ///< between the edges
};

/// To a thread of another CTA of the cluster, by an arrival at the mbarrier object there.
inline bool arrives_elsewhere(const Edge& edge) {
  return edge.link == Link::barrier &&
         (edge.word == "mbarrier.arrive.cluster" || edge.word == "tcgen05.cluster");
}
/// To another thread, with all that accesses to tensor memory need.
inline bool orders_tensor(const Edge& edge) {
  return edge.link == Link::barrier && edge.word.starts_with("tcgen05");
}

/// edges[i] leads from access i to access i + 1, of the last to access 0.
struct Cycle {
  std::vector<Edge> edges;
  std::vector<Mark> marks;  ///< by access
  SourcePtr source;
};

/// Throws InputError, with the place in the text and a suggestion.
Cycle parse_cycle(const SourcePtr& text);

/// Each edge of the vocabulary, both of its ends a read or a write, by one of its names.
std::vector<Edge> every_edge();

}  // namespace ptxmc::generate

// SPDX-License-Identifier: Apache-2.0
// What a lowering is asked for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "support/budget.h"

namespace ptxmc::lower {

/// What the manual leaves open about the events of an instruction (src/model/readings.h names the choices).
struct Readings {
  bool sink_is_red = true;          ///< D18: an atom whose destination is `_` counts as a red
  bool failed_cas_writes = false;   ///< D19: a cas that compares unequal writes back what it read
  bool read_waits_for_maps = true;  ///< cp.async.bulk.wait_group.read waits for reads of tensor maps, too
  bool reductions_of_sys = true;    ///< R149: of a cp.reduce.async.bulk, not of its tensor form; else gpu
  bool tensor_reductions_of_sys = false;  ///< R151, D59: of a cp.reduce.async.bulk.tensor; else gpu
  /// D26: st.async and red.async; else they use the generic proxy
  bool async_stores_use_async_proxy = false;
  bool wide_in_halves = false;           ///< D11: a strong access of 128 bits is two of 64, as a weak one is
  bool vector_is_whole = false;          ///< D12: a vector access is one scalar access of all its bytes
  bool nc_is_generic = false;            ///< D45: ld.global.nc is an ordinary weak load
  bool first_fence_is_free = false;      ///< R245: the first wgmma.mma_async needs no wgmma.fence before it
  bool tears_at_bytes = false;           ///< accesses that are not morally strong are single bytes
  bool dependents_always_early = false;  ///< R233: whether or not their prerequisites use launch_dependents
  bool null_is_address = false;          ///< a variable may lie at address 0 of global memory
  /// D50: a multimem address is no alias of what it stands for, but the same name
  bool multimem_is_generic = false;
  bool lanes_are_named = false;   ///< R288: lane 0 in an address of tensor memory is lane 0 for each warp
  bool scales_are_apart = false;  ///< 9.7.16.6.2: scale factors are in no pair of operands
  bool tests_may_fail = false;    ///< R218: mbarrier.test_wait may return false behind its phase, too
};

/// Who is guaranteed to be scheduled (finish/liveness.h).
enum class ProgressModel : std::uint8_t {
  fair,  ///< every thread
  obe,   ///< occupancy-bound: once a cluster has started, its threads
  hsa,   ///< the threads of each GPU's first unfinished CTA
};

/// Whether cells that are accessed as others are left out (finish/alike.cpp).
enum class Alike : std::uint8_t { never, large, always };

constexpr std::size_t kNoWait = ~std::size_t{0};

struct Options {
  int unroll = 2;          ///< how often a loop body is entered at most (spin loops excepted)
  bool unbounded = false;  ///< untyped and 64-bit values are unbounded integers
  /// loops that only wait are unrolled as all others are, which must change no answer
  bool all_turns = false;
  Readings readings = {};
  /// what exchanges give is asked of each path by itself, which must change no answer (for tests)
  bool paths_alone = false;
  /// large: of programs with so many events that they are hard to answer. Flags and hangs stay the same, by
  /// the models of PTX; executions become fewer, and their values may be zero. Nothing is known of other
  /// models.
  Alike alike = Alike::never;
  bool single_bytes = false;  ///< memory is cut into single bytes, which must change no answer (for tests)
  /// Set: the graph's executions are those that never end under this model (graph.hangs, finish/liveness.h), and its
  /// proposition is true in them. Condition and filter of the test play no part.
  std::optional<ProgressModel> liveness = {};
  /// Liveness: threads whose barriers do not wait forever, or all of them; found by the lowering itself.
  std::vector<bool> passing = {};
  /// The wait of each of those that never ends, whatever the run, by its number among those of the thread
  /// (waits_before); kNoWait: there is none. Nothing: runs differ, or are not known.
  std::vector<std::optional<std::size_t>> stays = {};
  bool all_pass = false;
  /// what exchanges give that no run passes stays open, for the question which waits never end
  bool open_results = false;
  /// elect.sync elects the first lane that meets. One of the choices that the scheduler has: what is found is so, what is not
  /// found may be.
  bool first_leads = false;
  Budget budget = {};
};

}  // namespace ptxmc::lower

// SPDX-License-Identifier: Apache-2.0
// What the manual leaves open, and how it is read (src/model/README.md); the defaults are those of model::kReadings.
#pragma once

namespace ptxmc::trace {

struct Readings {
  /// R211: arrivals at the object of another CTA synchronize with its waits.
  bool remote_arrivals_reach = false;
  /// R185: an mbarrier.init needs no fence towards the async proxy.
  bool inits_reach = true;
  /// R155: cp.async.bulk.wait_group.read waits for reads of tensor maps, too.
  bool read_waits_for_maps = true;
  /// 8.6, D2: fences of the constant, texture, surface and tensormap proxies count in every thread block.
  bool proxy_fences_anywhere = false;
  /// 9.7.14.7.3: a wgmma.wait_group waits for what its warp has issued, not for all of the warpgroup's product.
  bool groups_of_warps = false;
  /// 8.9.5: an atomic releases what it acquires; else what precedes it in program order alone (8.8).
  bool atomics_relay = true;
  /// 9.7.16.6.2 in PTX ISA 9.1: pairs of tcgen05 instructions that are pipelined are of threads of any warps.
  bool pairs_of_9_1 = false;
  /// 9.7.12.13: a release fence before griddepcontrol.launch_dependents synchronizes with the start of the dependent grid.
  bool launches_release = true;
  /// 8.9.4: who uses a tensor map that an earlier kernel wrote needs the acquire fence alone.
  bool starts_release_maps = true;
  /// R149: the reductions of a cp.reduce.async.bulk are of scope sys; else of scope gpu, as those of its tensor form.
  bool reductions_of_sys = true;
  /// R151, D59: those of its tensor form are, too.
  bool tensor_reductions_of_sys = false;
  /// 9.7.12.4, D57: a proxy fence that releases reads releases those of other threads that come before it, too.
  bool read_fences_cumulate = false;
  /// 9.7.12.4, D58: so does a release fence with .sync_restrict, of the shared memory of its CTA.
  bool restricted_fences_cumulate = true;
  /// 8.8: asynchronous operations with strong accesses are part of release and acquire patterns.
  bool async_patterns = true;
  /// 8.6.1, 8.9.2: there they and accesses through the generic proxy observe each other, of scope gpu or wider.
  bool patterns_cross = true;
  /// 8.7.1: a strong read and a strong write through two proxies race.
  bool strong_reads_race = false;
  /// 2.2.2: all CTAs of a cluster are there when one of them runs, as in a litmus test.
  bool ctas_start_together = false;
  friend bool operator==(const Readings&, const Readings&) = default;
};

}  // namespace ptxmc::trace

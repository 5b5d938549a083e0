// SPDX-License-Identifier: Apache-2.0
// A cluster of two takes tiles of clusters that it cancels; the answer is multicast. The bug: it is asked for again when one of the two has read it.
#include "../cluster.cuh"
extern "C" __global__ void __cluster_dims__(2, 1, 1) k(const int* in, int* out) {
  __shared__ alignas(16) uint4 answer;
  __shared__ uint64_t full, empty;
  const uint32_t t = threadIdx.x, rank = rank_in_cluster();
#ifdef FIXED
  const int readers = 128;
#else
  const int readers = 64;
#endif
  if (t == 0) {
    init(&full, 1);
    init(&empty, readers);
    fence_init();
  }
  meet_cluster();
  int tile = blockIdx.x;
#pragma unroll 1
  for (int i = 0;; ++i) {
    if (t == 0) {
      expect(&full, 16);
      if (rank == 0) {
        wait_for_cluster(&empty, (i & 1) ^ 1);
        asm volatile(
            "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.multicast::"
            "cluster::all.b128 [%0], [%1];" ::"r"(shared(&answer)),
            "r"(shared(&full))
            : "memory");
      }
    }
    out[tile * 64 + t] = in[tile * 64 + t] + 1;
    wait_for_cluster(&full, i & 1);
    uint32_t valid, x = 0;
    asm volatile(
        "{ .reg .b128 r; .reg .pred p;\n ld.shared.b128 r, [%2];\n"
        " clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p, r;\n selp.u32 %0, 1, 0, p;\n"
        " @p clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %1, r; }"
        : "=r"(valid), "+r"(x)
        : "r"(shared(&answer))
        : "memory");
    fence_async();
#ifdef FIXED
    arrive_remote(&empty, 0);
#else
    if (rank == 0) arrive_remote(&empty, 0);
#endif
    if (!valid) break;
    tile = x + rank;
  }
  meet_cluster();
}

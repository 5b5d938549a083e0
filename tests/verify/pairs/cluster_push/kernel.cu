// SPDX-License-Identifier: Apache-2.0
// A CTA pushes tiles into another's shared memory by bulk copies. The bug: it fills its own tile again before the copy has read it.
#include "../cluster.cuh"

extern "C" __global__ void __cluster_dims__(2, 1, 1) k(const int* in, int* out, int n) {
  __shared__ alignas(128) int tile[64];
  __shared__ uint64_t full, taken;
  const uint32_t t = threadIdx.x, rank = rank_in_cluster();
  if (t == 0) {
    init(&full, 1);
    init(&taken, 64);
    fence_init();
  }
  meet_cluster();
#pragma unroll 1
  for (int i = 0; i < n; ++i) {
    if (rank == 0) {
#ifdef FIXED
      if (i > 0) wait_for_cluster(&taken, (i - 1) & 1);
#endif
      tile[t] = in[i * 64 + t];
      fence_async();
      __syncthreads();
#ifndef FIXED
      if (i > 0) wait_for_cluster(&taken, (i - 1) & 1);
#endif
      if (t == 0)
        asm volatile(
            "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2];" ::
                "r"(in_cta(tile, 1)),
            "r"(shared(tile)), "r"(in_cta(&full, 1))
            : "memory");
    } else {
      if (t == 0) expect(&full, 256);
      wait(&full, i & 1);
      out[i * 64 + t] = tile[63 - t];
      fence_async();
      arrive_remote(&taken, 0);
    }
  }
  meet_cluster();
}

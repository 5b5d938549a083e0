// SPDX-License-Identifier: Apache-2.0
// The first CTA of a pair loads each tile for both. The bug: it waits until its own warp has read a stage, and not for the other's.
#include "../cluster.cuh"
extern "C" __global__ void __cluster_dims__(2, 1, 1) copy(const char* in, int* out, int tiles) {
  __shared__ alignas(128) int stage[2][128];
  __shared__ uint64_t full[2], empty[2];
  const uint32_t t = threadIdx.x, rank = blockIdx.x % 2;
#ifdef FIXED
  const uint32_t readers = 2;
#else
  const uint32_t readers = 1;
#endif
  if (t == 0) make_ring(full, empty, readers);
  meet_cluster();
  if (t == 32) {
#pragma unroll 1
    for (int i = 0; i < tiles; ++i) {
      const int at = i % 2;
      if (rank == 0) wait_for_cluster(&empty[at], i / 2 % 2 ^ 1);
      expect(&full[at], 512);
      if (rank == 0)
        asm volatile(
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], "
            "[%1], 512, [%2], %3;" ::"r"(shared(stage[at])),
            "l"(__cvta_generic_to_global(in + i * 512)), "r"(shared(&full[at])), "h"(static_cast<uint16_t>(3))
            : "memory");
      else
        wait(&full[at], i / 2 % 2);
    }
  } else if (t < 32) {
#pragma unroll 1
    for (int i = 0; i < tiles; ++i) {
      const int at = i % 2;
      wait(&full[at], i / 2 % 2);
      const int sum = stage[at][t] + stage[at][t + 32];
      fence_async();
      __syncwarp();
#ifdef FIXED
      const uint32_t first = 0;
#else
      const uint32_t first = rank;
#endif
      if (t == 0)
        asm volatile(
            "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(in_cta(&empty[at], first))
            : "memory");
      out[(rank * tiles + i) * 32 + t] = sum;
    }
  }
  __syncwarp();
  meet_cluster();
}

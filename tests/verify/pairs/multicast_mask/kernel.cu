// SPDX-License-Identifier: Apache-2.0
// Each of two CTAs loads half of a tile for both. The bug: a mask names its own CTA alone.
#include "../cluster.cuh"
extern "C" __global__ void __cluster_dims__(2, 1, 1) k(const char* in, int* out, int tiles) {
  __shared__ alignas(128) int stage[2][128];
  __shared__ uint64_t full[2], empty[2];
  const uint32_t t = threadIdx.x, rank = rank_in_cluster();
  if (t == 0) make_ring(full, empty, 2);
  meet_cluster();
  if (t == 32) {
#pragma unroll 1
    for (int i = 0; i < tiles; ++i) {
      const int at = i % 2;
      wait_for_cluster(&empty[at], i / 2 % 2 ^ 1);
      expect(&full[at], 512);
#ifdef FIXED
      const uint16_t mask = 3;
#else
      const uint16_t mask = 1 << rank;
#endif
      asm volatile(
          "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], "
          "256, [%2], %3;" ::"r"(shared(&stage[at][rank * 64])),
          "l"(__cvta_generic_to_global(in + i * 512 + rank * 256)), "r"(shared(&full[at])), "h"(mask)
          : "memory");
    }
  } else if (t < 32) {
#pragma unroll 1
    for (int i = 0; i < tiles; ++i) {
      const int at = i % 2;
      wait(&full[at], i / 2 % 2);
      const int sum = stage[at][t] + stage[at][t + 64];
      fence_async();
      __syncwarp();
      if (t < 2) arrive_remote(&empty[at], t);
      out[(rank * tiles + i) * 32 + t] = sum;
    }
  }
  __syncwarp();
  meet_cluster();
}

// SPDX-License-Identifier: Apache-2.0
// Each CTA of a pair loads its half of a tile for both. The bug: it leaves when its own tiles are read, and the other may yet
// arrive at its barriers.
#include "../cluster.cuh"
extern "C" __global__ void __cluster_dims__(2) k(const char* in, int* out, int tiles) {
  __shared__ alignas(128) int stage[2][64];
  __shared__ uint64_t full[2], empty[2];
  const uint32_t rank = rank_in_cluster(), t = threadIdx.x;
  if (t == 0) make_ring(full, empty, 2);
  __syncwarp();
  meet_cluster();
  if (t == 32) {
#pragma unroll 1
    for (int i = 0; i < tiles; ++i) {
      const int at = i % 2;
      wait_for_cluster(&empty[at], i / 2 % 2 ^ 1);
      expect(&full[at], 256);
      asm volatile(
          "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], "
          "128, "
          "[%2], %3;" ::"r"(shared(&stage[at][rank * 32])),
          "l"(__cvta_generic_to_global(in + (i * 2 + rank) * 128)), "r"(shared(&full[at])),
          "h"(static_cast<uint16_t>(3))
          : "memory");
    }
#ifdef FIXED
#pragma unroll 1
    for (int i = tiles; i < tiles + 2; ++i) wait_for_cluster(&empty[i % 2], i / 2 % 2 ^ 1);
#endif
  } else if (t < 32) {
    int sum = 0;
#pragma unroll 1
    for (int i = 0; i < tiles; ++i) {
      const int at = i % 2;
      wait(&full[at], i / 2 % 2);
      sum += stage[at][t] + stage[at][t + 32];
      fence_async();
      __syncwarp();
      if (t < 2) arrive_remote(&empty[at], t);
    }
    out[rank * 32 + t] = sum;
  }
}

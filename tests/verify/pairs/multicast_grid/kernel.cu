// SPDX-License-Identifier: Apache-2.0
// Four CTAs: A is multicast along rows, B along columns. The bug: a CTA gives a stage back to its row alone.
#include "../cluster.cuh"

__device__ __forceinline__ void load_multi(void* to, const void* from, uint32_t bytes, uint64_t* m,
                                           uint16_t mask) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, "
      "[%3], %4;" ::"r"(shared(to)),
      "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(shared(m)), "h"(mask)
      : "memory");
}
extern "C" __global__ void __cluster_dims__(2, 2, 1) k(const char* in, int* out, int tiles) {
  __shared__ alignas(128) int a[2][64], b[2][64];
  __shared__ uint64_t full[2], empty[2];
  const uint32_t t = threadIdx.x, rank = rank_in_cluster(), x = rank % 2, y = rank / 2;
#ifdef FIXED
  const uint32_t releases = 3;
#else
  const uint32_t releases = 2;
#endif
  if (t == 0) make_ring(full, empty, releases);
  meet_cluster();
  if (t == 32) {
#pragma unroll 1
    for (int i = 0; i < tiles; ++i) {
      const int at = i % 2;
      wait_for_cluster(&empty[at], i / 2 % 2 ^ 1);
      expect(&full[at], 512);
      load_multi(&a[at][x * 32], in + (y * tiles + i) * 256 + x * 128, 128, &full[at], 3 << (2 * y));
      load_multi(&b[at][y * 32], in + 16384 + (x * tiles + i) * 256 + y * 128, 128, &full[at], 5 << x);
    }
  } else if (t < 32) {
#pragma unroll 1
    for (int i = 0; i < tiles; ++i) {
      const int at = i % 2;
      wait(&full[at], i / 2 % 2);
      const int sum = a[at][t] * b[at][t] + a[at][t + 32] * b[at][t + 32];
      fence_async();
      __syncwarp();
#ifdef FIXED
      const bool sends = t < 4 && (t % 2 == x || t / 2 == y);
#else
      const bool sends = t < 4 && t / 2 == y;
#endif
      if (sends) arrive_remote(&empty[at], t);
      out[(rank * tiles + i) * 32 + t] = sum;
    }
  }
  __syncwarp();
  meet_cluster();
}

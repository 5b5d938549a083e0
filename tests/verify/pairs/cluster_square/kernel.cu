// SPDX-License-Identifier: Apache-2.0
// A cluster of 2 x 2: one operand is multicast along a row, the other along a column. The bug: a stage is given back along the row alone.
#include "../cluster.cuh"
__device__ __forceinline__ void load_for(uint16_t ctas, void* to, const char* from, uint64_t* m) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], 128, "
      "[%2], %3;" ::"r"(shared(to)),
      "l"(__cvta_generic_to_global(from)), "r"(shared(m)), "h"(ctas)
      : "memory");
}
extern "C" __global__ void __cluster_dims__(2, 2, 1) k(const char* a, const char* b, int* out, int tiles) {
  __shared__ alignas(128) int stage[2][2][64];
  __shared__ uint64_t full[2], empty[2];
  const uint32_t t = threadIdx.x, rank = rank_in_cluster(), row = rank / 2, column = rank % 2;
  const uint16_t of_row = 3 << (row * 2), of_column = 5 << column;
#ifdef FIXED
  const uint16_t readers = of_row | of_column;
#else
  const uint16_t readers = of_row;
#endif
  if (t == 0) make_ring(full, empty, __popc(readers));
  meet_cluster();
  if (t == 0) {
#pragma unroll 1
    for (int i = 0; i < tiles; ++i) {
      const int at = i % 2;
      wait_for_cluster(&empty[at], i / 2 % 2 ^ 1);
      expect(&full[at], 512);
      load_for(of_row, &stage[at][0][column * 32], a + i * 512 + rank * 128, &full[at]);
      load_for(of_column, &stage[at][1][row * 32], b + i * 512 + rank * 128, &full[at]);
    }
  } else if (t >= 32) {
    const uint32_t lane = t - 32;
#pragma unroll 1
    for (int i = 0; i < tiles; ++i) {
      const int at = i % 2;
      wait_for_cluster(&full[at], i / 2 % 2);
      const int sum = stage[at][0][lane] + stage[at][0][t] + stage[at][1][lane] + stage[at][1][t];
      fence_async();
      __syncwarp();
      if (lane < 4 && (readers >> lane & 1) != 0) arrive_remote(&empty[at], lane);
      out[(i * 4 + rank) * 32 + lane] = sum;
    }
  }
  __syncwarp();
  meet_cluster();
}

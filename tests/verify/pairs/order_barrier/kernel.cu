// SPDX-License-Identifier: Apache-2.0
// Two warpgroups take turns at a buffer of stores. The bug: the second begins as if it were its turn.
#include "../ptx.cuh"
extern "C" __global__ void k(const int* in, char* out, int tiles) {
  __shared__ alignas(128) int buf[128];
  __shared__ uint64_t order[2];
  const int t = threadIdx.x % 128, g = threadIdx.x / 128;
  if (threadIdx.x == 0) {
    init(&order[0], 128);
    init(&order[1], 128);
    fence_init();
  }
  __syncthreads();
#pragma unroll 1
  for (int i = 0; i < tiles; ++i) {
#ifdef FIXED
    wait(&order[g], (i & 1) ^ (g == 0));
#else
    wait(&order[g], (i & 1) ^ 1);
#endif
    buf[t] = in[(2 * i + g) * 128 + t];
    fence_async();
    meet(1 + g, 128);
    if (t == 0) {
      store_bulk(out + (2 * i + g) * 512, buf, 512);
      commit_bulk();
      wait_bulk_read<0>();
    }
    meet(1 + g, 128);
    arrive(&order[g ^ 1]);
  }
}

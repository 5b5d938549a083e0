// SPDX-License-Identifier: Apache-2.0
// One buffer, read by all and then fetched again. The bug: no proxy fence between the reads and the next copy.
#include "../ptx.cuh"
extern "C" __global__ void refill(const int* in, int* out, int tiles) {
  __shared__ alignas(128) int s[64];
  __shared__ uint64_t full;
  if (threadIdx.x == 0) {
    init(&full, 1);
    fence_init();
  }
  __syncthreads();
#pragma unroll 1
  for (int i = 0; i < tiles; ++i) {
    if (threadIdx.x == 0) {
      expect(&full, sizeof s);
      load_bulk(s, in + i * 64, sizeof s, &full);
    }
    wait(&full, i & 1);
    out[i * 64 + threadIdx.x] = s[63 - threadIdx.x];
#ifdef FIXED
    fence_async();
#endif
    __syncthreads();
  }
}

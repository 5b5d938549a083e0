// SPDX-License-Identifier: Apache-2.0
// Consumers release a stage by one elected lane a warp. The bug: the barrier counts every thread.
#include "../ptx.cuh"
extern "C" __global__ void ring(const int* in, int* out, int tiles) {
  __shared__ alignas(128) int s[64];
  __shared__ uint64_t full, empty;
  if (threadIdx.x == 0) {
    init(&full, 1);
#ifdef FIXED
    init(&empty, 2);
#else
    init(&empty, 64);
#endif
    fence_init();
  }
  __syncthreads();
  if (threadIdx.x >= 64) {
    if (threadIdx.x == 64)
#pragma unroll 1
      for (int i = 0; i < tiles; ++i) {
        wait(&empty, (i + 1) & 1);
        expect(&full, sizeof s);
        load_bulk(s, in + i * 64, sizeof s, &full);
      }
    return;
  }
  int sum = 0;
#pragma unroll 1
  for (int i = 0; i < tiles; ++i) {
    wait(&full, i & 1);
    sum += s[threadIdx.x];
    fence_async();
    __syncwarp();
    if (threadIdx.x % 32 == 0) arrive(&empty);
  }
  out[threadIdx.x] = sum;
}

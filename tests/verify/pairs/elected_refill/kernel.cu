// SPDX-License-Identifier: Apache-2.0
// All lanes of a warp wait for a stage to be free, and one that is elected refills it. The bug: the readers free a stage before
// they have read it.
#include "../ptx.cuh"
extern "C" __global__ void k(const char* in, int* out, int tiles) {
  __shared__ alignas(128) int stage[2][64];
  __shared__ uint64_t full[2], empty[2];
  if (threadIdx.x == 0) make_ring(full, empty, 2);
  __syncthreads();
  const int warp = threadIdx.x / 32, t = threadIdx.x;
  if (warp == 2) {
#pragma unroll 1
    for (int i = 0; i < tiles; ++i) {
      const int at = i % 2;
      wait(&empty[at], i / 2 % 2 ^ 1);
      if (elected()) {
        expect(&full[at], 256);
        load_bulk(stage[at], in + (blockIdx.x * tiles + i) * 256, 256, &full[at]);
      }
      __syncwarp();
    }
  } else {
    int sum = 0;
#pragma unroll 1
    for (int i = 0; i < tiles; ++i) {
      const int at = i % 2;
      wait(&full[at], i / 2 % 2);
#ifdef FIXED
      sum += stage[at][t ^ 1];
      fence_async();
      __syncwarp();
      if (elected()) arrive(&empty[at]);
#else
      if (elected()) arrive(&empty[at]);
      sum += stage[at][t ^ 1];
#endif
    }
    out[blockIdx.x * 64 + t] = sum;
  }
}

// SPDX-License-Identifier: Apache-2.0
// A producer and a consumer. The bug: the producer loads one tile more than anybody waits for, and the CTA may leave before it is there.
#include "../ptx.cuh"
extern "C" __global__ void k(const char* in, int* out, int tiles) {
  __shared__ alignas(128) int stage[2][32];
  __shared__ uint64_t full[2], empty[2];
  const int t = threadIdx.x;
  if (t == 0) make_ring(full, empty, 32);
  __syncthreads();
  if (t == 0) {
#ifdef FIXED
    const int loads = tiles;
#else
    const int loads = tiles + 1;
#endif
#pragma unroll 1
    for (int i = 0; i < loads; ++i) {
      wait(&empty[i % 2], i / 2 % 2 ^ 1);
      expect(&full[i % 2], 128);
      load_bulk(stage[i % 2], in + i * 128, 128, &full[i % 2]);
    }
  } else if (t >= 32) {
#pragma unroll 1
    for (int i = 0; i < tiles; ++i) {
      wait(&full[i % 2], i / 2 % 2);
      out[i * 32 + t - 32] = stage[i % 2][t - 32];
      fence_async();
      arrive(&empty[i % 2]);
    }
  }
}

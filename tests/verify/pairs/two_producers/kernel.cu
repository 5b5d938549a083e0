// SPDX-License-Identifier: Apache-2.0
// Two warps load into one stage, each with its own expect_tx. The bug: the object expects one arrival.
#include "../ptx.cuh"
extern "C" __global__ void k(const char* in, int* out, int tiles) {
  __shared__ alignas(128) int a[2][64], b[2][64];
  __shared__ uint64_t full[2], empty[2];
  const int t = threadIdx.x;
#ifdef FIXED
  const int producers = 2;
#else
  const int producers = 1;
#endif
  if (t == 0) {
    for (int i = 0; i < 2; ++i) {
      init(&full[i], producers);
      init(&empty[i], 64);
    }
    fence_init();
  }
  __syncthreads();
  if (t == 64 || t == 96) {
#pragma unroll 1
    for (int i = 0; i < tiles; ++i) {
      const int at = i % 2;
      wait(&empty[at], i / 2 % 2 ^ 1);
      expect(&full[at], 256);
      load_bulk(t == 64 ? a[at] : b[at], in + i * 256 + (t == 64 ? 0 : 8192), 256, &full[at]);
    }
  } else if (t < 64) {
#pragma unroll 1
    for (int i = 0; i < tiles; ++i) {
      const int at = i % 2;
      wait(&full[at], i / 2 % 2);
      const int v = a[at][63 - t] + b[at][t];
      fence_async();
      arrive(&empty[at]);
      out[i * 64 + t] = v;
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
// A ring whose producer starts. The bug: its first wait is for a phase that only the consumers complete.
#include "../ptx.cuh"
extern "C" __global__ void ring(const int* in, int* out, int tiles) {
  __shared__ alignas(128) int s[2][32];
  __shared__ uint64_t full[2], empty[2];
  if (threadIdx.x == 0) {
    for (int i = 0; i < 2; ++i) {
      init(&full[i], 1);
      init(&empty[i], 32);
    }
    fence_init();
  }
  __syncthreads();
#ifdef FIXED
  int at = 0, phase = threadIdx.x < 32 ? 1 : 0;
#else
  int at = 0, phase = 0;
#endif
  if (threadIdx.x == 0) {
#pragma unroll 1
    for (int i = 0; i < tiles; ++i) {
      wait(&empty[at], phase);
      expect(&full[at], 128);
      load_bulk(s[at], in + i * 32, 128, &full[at]);
      if (++at == 2) {
        at = 0;
        phase ^= 1;
      }
    }
  } else if (threadIdx.x >= 32) {
#pragma unroll 1
    for (int i = 0; i < tiles; ++i) {
      wait(&full[at], phase);
      out[i * 32 + threadIdx.x - 32] = s[at][threadIdx.x - 32];
      fence_async();
      arrive(&empty[at]);
      if (++at == 2) {
        at = 0;
        phase ^= 1;
      }
    }
  }
}

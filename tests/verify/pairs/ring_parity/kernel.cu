// SPDX-License-Identifier: Apache-2.0
// A ring of two bulk copies, one producer thread, one consumer warp. The bug: the consumer's parity is not
// flipped when the ring wraps.
#include "../ptx.cuh"
constexpr int kStages = 2, kInts = 32;
extern "C" __global__ void ring(const int* in, int* out, int tiles) {
  __shared__ alignas(128) int s[kStages][kInts];
  __shared__ uint64_t full[kStages], empty[kStages];
  if (threadIdx.x == 0) {
    for (int i = 0; i < kStages; ++i) {
      init(&full[i], 1);
      init(&empty[i], 32);
    }
    fence_init();
  }
  __syncthreads();
  if (threadIdx.x < 32) {
    if (threadIdx.x == 0) {
#pragma unroll 1
      for (int i = 0; i < tiles; ++i) {
        const int at = i % kStages;
        wait(&empty[at], (i / kStages + 1) & 1);
        expect(&full[at], sizeof s[0]);
        load_bulk(s[at], in + i * kInts, sizeof s[0], &full[at]);
      }
    }
  } else {
    int sum = 0, phase = 0;
#pragma unroll 1
    for (int i = 0; i < tiles; ++i) {
      const int at = i % kStages;
      wait(&full[at], phase);
      sum += s[at][threadIdx.x % 32];
      fence_async();
      arrive(&empty[at]);
#ifdef FIXED
      if (at == kStages - 1) phase ^= 1;
#endif
    }
    out[threadIdx.x - 32] = sum;
  }
}

// SPDX-License-Identifier: Apache-2.0
// The same ring; consumers give stages back by one lane. The bug: that lane arrives before the others of
// its warp have read.
#include "../ptx.cuh"
constexpr int kStages = 3, kInts = 64;
extern "C" __global__ void ring(const int* in, int* out, int tiles) {
  __shared__ alignas(128) int s[kStages][kInts];
  __shared__ uint64_t full[kStages], empty[kStages];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (threadIdx.x == 0) {
    for (int i = 0; i < kStages; ++i) {
      init(&full[i], 1);
      init(&empty[i], 2);
    }
    fence_init();
  }
  __syncthreads();
  int at = 0, phase = 0;
  if (warp == 2) {
    if (elected()) {
#pragma unroll 1
      for (int i = 0; i < tiles; ++i) {
        wait(&empty[at], phase ^ 1);
        expect(&full[at], sizeof s[0]);
        load_bulk(s[at], in + i * kInts, sizeof s[0], &full[at]);
        if (++at == kStages) {
          at = 0;
          phase ^= 1;
        }
      }
    }
    return;
  }
  int sum = 0;
#pragma unroll 1
  for (int i = 0; i < tiles; ++i) {
    wait(&full[at], phase);
    sum += s[at][threadIdx.x];
#ifdef FIXED
    fence_async();
    __syncwarp();
#endif
    if (lane == 0) arrive(&empty[at]);
    if (++at == kStages) {
      at = 0;
      phase ^= 1;
    }
  }
  out[threadIdx.x] = sum;
}

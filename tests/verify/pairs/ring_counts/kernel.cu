// SPDX-License-Identifier: Apache-2.0
// A ring with two consumer warps. The bug: a stage counts as empty when one of them has read it.
#include "../ptx.cuh"
constexpr int kStages = 2, kInts = 32;
#ifdef FIXED
constexpr int kConsumers = 2;
#else
constexpr int kConsumers = 1;
#endif
extern "C" __global__ void ring(const int* in, int* out, int tiles) {
  __shared__ alignas(128) int s[kStages][kInts];
  __shared__ uint64_t full[kStages], empty[kStages];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (threadIdx.x == 0) {
    for (int i = 0; i < kStages; ++i) {
      init(&full[i], 1);
      init(&empty[i], kConsumers);
    }
    fence_init();
  }
  __syncthreads();
  if (warp == 0) {
    if (lane != 0) return;
#pragma unroll 1
    for (int i = 0; i < tiles; ++i) {
      wait(&empty[i % kStages], i / kStages % 2 ^ 1);
      expect(&full[i % kStages], sizeof s[0]);
      load_bulk(s[i % kStages], in + i * kInts, sizeof s[0], &full[i % kStages]);
    }
    return;
  }
  int sum = 0;
#pragma unroll 1
  for (int i = 0; i < tiles; ++i) {
    wait(&full[i % kStages], i / kStages % 2);
    sum += s[i % kStages][lane];
    fence_async();
    __syncwarp();
    if (lane == 0) arrive(&empty[i % kStages]);
  }
  out[threadIdx.x - 32] = sum;
}

// SPDX-License-Identifier: Apache-2.0
// Sums of columns. Warp 1 copies tiles into a ring of slots; warp 0 adds them up.
#include "tma.cuh"
constexpr int kSlots = 2, kInts = 32;

extern "C" __global__ void sums(const int* in, int* out, int tiles) {
  __shared__ alignas(128) int slot[kSlots][kInts];
  __shared__ uint64_t full[kSlots], empty[kSlots];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (threadIdx.x == 0) {
    for (int s = 0; s < kSlots; ++s) {
      init(&full[s], 1);
      init(&empty[s], 1);
    }
    fence_init();
  }
  __syncthreads();
  if (warp == 1) {
    if (lane != 0) return;
#pragma unroll 1
    for (int i = 0; i < tiles; ++i) {
      const int s = i % kSlots, turn = i / kSlots;
      wait(&empty[s], (turn & 1) ^ 1);
      expect(&full[s], sizeof slot[s]);
      copy(slot[s], in + i * kInts, sizeof slot[s], &full[s]);
    }
    return;
  }
  int sum = 0;
#pragma unroll 1
  for (int i = 0; i < tiles; ++i) {
    const int s = i % kSlots, turn = i / kSlots;
    wait(&full[s], turn & 1);
    sum += slot[s][lane];
    fence_async();
    if (lane == 0) arrive(&empty[s]);
  }
  out[lane] = sum;
}

// SPDX-License-Identifier: Apache-2.0
// A warp loads tiles for two others, and all meet when one is done. The bug: who has nothing to do in a tile only announces
// itself, so that it may do so for two tiles before the loader has come to the first.
#include "../ptx.cuh"
extern "C" __global__ void consume(const int* counts, int* out, int tiles) {
  __shared__ int s[64];
  const int warp = threadIdx.x / 32;
  int sum = 0;
#pragma unroll 1
  for (int tile = 0; tile < tiles; ++tile) {
    const int count = counts[tile];
#pragma unroll 1
    for (int i = 0; i < count; ++i) {
      if (warp == 0) s[threadIdx.x] = s[threadIdx.x + 32] = i + tile;
      meet(2, 96);
      if (warp != 0) sum += s[threadIdx.x - 32];
      meet(3, 96);
    }
#ifdef FIXED
    meet(1, 96);
#else
    if (warp == 0 || count != 0)
      meet(1, 96);
    else
      announce(1, 96);
#endif
  }
  out[threadIdx.x] = sum;
}

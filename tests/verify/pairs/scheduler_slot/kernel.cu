// SPDX-License-Identifier: Apache-2.0
// A warp takes tiles from a counter and tells two others by shared memory and two named barriers. The bug: the next tile is
// written before they have said that they have read the last one.
#include "../ptx.cuh"
constexpr uint32_t kFull = 1, kEmpty = 2, kThreads = 96;
extern "C" __global__ void schedule(int* out, int* counter, int tiles) {
  __shared__ int next;
  if (threadIdx.x < 32) {
    for (int tile = blockIdx.x; tile < tiles;) {
      int taken = 0;
      if (threadIdx.x == 0) taken = atomicAdd(counter, 1) + gridDim.x;
      taken = __shfl_sync(0xffffffff, taken, 0);
#ifdef FIXED
      meet(kEmpty, kThreads);
#endif
      if (threadIdx.x == 0) next = taken;
#ifndef FIXED
      meet(kEmpty, kThreads);
#endif
      __syncwarp();
      announce(kFull, kThreads);
      tile = taken;
    }
  } else {
    announce(kEmpty, kThreads);
    for (int tile = blockIdx.x; tile < tiles;) {
      out[tile * 64 + threadIdx.x - 32] = tile;
      meet(kFull, kThreads);
      tile = next;
      if (tile < tiles) announce(kEmpty, kThreads);
    }
  }
}

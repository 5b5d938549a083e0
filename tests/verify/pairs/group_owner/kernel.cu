// SPDX-License-Identifier: Apache-2.0
// A tile is stored in bulk, again and again from the same memory. The bug: not the thread that issued the copy waits for its
// group, but one of another warp, which has none.
#include "../ptx.cuh"
extern "C" __global__ void k(int* out, int tiles) {
  __shared__ alignas(128) int tile[64];
#pragma unroll 1
  for (int i = 0; i < tiles; ++i) {
    tile[threadIdx.x] = i * 64 + threadIdx.x;
    fence_async();
    __syncthreads();
    if (threadIdx.x == 0) {
      store_bulk(out + (blockIdx.x * tiles + i) * 64, tile, 256);
      commit_bulk();
    }
#ifdef FIXED
    if (threadIdx.x == 0) wait_bulk_read<0>();
#else
    if (threadIdx.x == 32) wait_bulk_read<0>();
#endif
    __syncthreads();
  }
  if (threadIdx.x == 0) wait_bulk<0>();
}

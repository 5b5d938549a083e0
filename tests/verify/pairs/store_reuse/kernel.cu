// SPDX-License-Identifier: Apache-2.0
// Bulk stores from one buffer, tile by tile. The bug: the buffer is filled again while the copy may still
// read it.
#include "../ptx.cuh"
extern "C" __global__ void twice(const int* in, int* out, int tiles) {
  __shared__ alignas(128) int s[128];
#pragma unroll 1
  for (int i = 0; i < tiles; ++i) {
    s[threadIdx.x] = in[i * 128 + threadIdx.x] * 2;
    fence_async();
    __syncthreads();
    if (threadIdx.x == 0) {
      store_bulk(out + i * 128, s, sizeof s);
      commit_bulk();
#ifdef FIXED
      wait_bulk_read<0>();
#endif
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) wait_bulk_read<0>();
}

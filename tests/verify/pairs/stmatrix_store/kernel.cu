// SPDX-License-Identifier: Apache-2.0
// Fragments go to shared memory by stmatrix, and out by a bulk store. The bug: the thread that issues the store alone executes the
// proxy fence, before the others have met it.
#include "../ptx.cuh"
extern "C" __global__ void store(const unsigned* in, char* out, int tiles) {
  __shared__ alignas(128) char tile[4 * 512];
  const int t = threadIdx.x;
#pragma unroll 1
  for (int i = 0; i < tiles; ++i) {
    asm volatile(
        "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %1, %1, %1};" ::"r"(shared(tile) + t * 16),
        "r"(in[i * 128 + t])
        : "memory");
#ifdef FIXED
    fence_async();
#else
    if (t == 0) fence_async();
#endif
    __syncthreads();
    if (t == 0) {
      store_bulk(out + i * 2048, tile, 2048);
      commit_bulk();
      wait_bulk_read<0>();
    }
    __syncthreads();
  }
}

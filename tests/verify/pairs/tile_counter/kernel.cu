// SPDX-License-Identifier: Apache-2.0
// A persistent kernel takes tiles from a counter. The bug: the next number is stored while others still
// read the last one.
extern "C" __global__ void persistent(const int* in, int* out, int* next, int tiles) {
  __shared__ int tile;
  while (true) {
    if (threadIdx.x == 0) tile = atomicAdd(next, 1);
    __syncthreads();
    const int mine = tile;
#ifdef FIXED
    __syncthreads();
#endif
    if (mine >= tiles) break;
    out[mine * 64 + threadIdx.x] = in[mine * 64 + threadIdx.x] * 2;
  }
}

// SPDX-License-Identifier: Apache-2.0
// A persistent kernel takes tiles from a counter. The bug: two tiles add to one part of the output, which is safe only
// while one block takes both.
extern "C" __global__ void persistent(const float* in, float* out, int* next, int tiles) {
  __shared__ int tile;
  while (true) {
    if (threadIdx.x == 0) tile = atomicAdd(next, 1);
    __syncthreads();
    const int mine = tile;
    __syncthreads();
    if (mine >= tiles) break;
    const float value = in[mine * 32 + threadIdx.x];
#ifdef FIXED
    atomicAdd(&out[mine / 2 * 32 + threadIdx.x], value);
#else
    out[mine / 2 * 32 + threadIdx.x] += value;
#endif
  }
}

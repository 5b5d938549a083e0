// SPDX-License-Identifier: Apache-2.0
// Blocks take tiles from a counter, and one thread tells the others. The bug: it stores the next tile before all have read the last one.
extern "C" __global__ void k(const int* in, int* out, int* counter) {
  __shared__ int tile;
  for (;;) {
    if (threadIdx.x == 0) tile = atomicAdd(counter, 1);
    __syncthreads();
    int t = tile;
#ifdef FIXED
    __syncthreads();
#endif
    if (t >= 3) break;
    out[t * 64 + threadIdx.x] = in[t * 64 + threadIdx.x] + 1;
  }
}

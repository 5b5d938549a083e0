// SPDX-License-Identifier: Apache-2.0
// Some lanes of a warp find the least of their values. The bug: they meet under the mask of those that happen to be active.
extern "C" __global__ void least(const int* in, int* out, int n) {
  __shared__ int word;
  const int lane = threadIdx.x;
  if (lane == 0) word = 0x7fffffff;
  __syncwarp();
  if (lane < n) {
#ifdef FIXED
    const unsigned mask = (1u << n) - 1;
#else
    const unsigned mask = __activemask();
#endif
    atomicMin(&word, in[lane]);
    __syncwarp(mask);
    out[lane] = word;
  }
}

// SPDX-License-Identifier: Apache-2.0
// A barrier of the grid in two levels. The bug: no fence between the last arrival at a leaf and the one at the root.
#include <cuda/atomic>
extern "C" __global__ void k(int* data, int* out, int* leaf, int* root, int* go) {
  int b = blockIdx.x;
  data[b * 32 + threadIdx.x] = b;
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    if (atomicAdd(&leaf[b / 2], 1) == 1) {
#ifdef FIXED
      __threadfence();
#endif
      if (atomicAdd(root, 1) == 1) { __threadfence(); atomicExch(go, 1); }
    }
    while (*(volatile int*)go == 0) {}
    __threadfence();
  }
  __syncthreads();
  out[b * 32 + threadIdx.x] = data[(b ^ 3) * 32 + threadIdx.x];
}

// SPDX-License-Identifier: Apache-2.0
// A barrier of the grid whose sense turns round. The bug: nothing keeps the counter's reset before the new sense, behind which
// others count again.
__device__ void meet(unsigned* count, volatile unsigned* sense, unsigned& mine) {
  __syncthreads();
  if (threadIdx.x == 0) {
    mine ^= 1;
    __threadfence();
    if (atomicAdd(count, 1u) == gridDim.x - 1) {
      *count = 0;
#ifdef FIXED
      __threadfence();
#endif
      *sense = mine;
    } else {
      while (*sense != mine) {
      }
    }
    __threadfence();
  }
  __syncthreads();
}
extern "C" __global__ void steps(unsigned* count, unsigned* sense, int* a, int* b) {
  const int n = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned mine = 0;
  a[i] = i;
  meet(count, sense, mine);
  b[i] = a[(i + blockDim.x) % n];
  meet(count, sense, mine);
  a[i] = b[(i + blockDim.x) % n];
}

// SPDX-License-Identifier: Apache-2.0
// A lock of warps, by tickets in shared memory. The bug: no fence before the next ticket is called.
extern "C" __global__ void k(int* out) {
  __shared__ unsigned next, now; __shared__ int total;
  if (threadIdx.x == 0) { next = now = 0; total = 0; }
  __syncthreads();
  if (threadIdx.x % 32 == 0) {
    unsigned t = atomicAdd(&next, 1);
    while (*(volatile unsigned*)&now != t) {}
    __threadfence_block();
    total += threadIdx.x;
#ifdef FIXED
    __threadfence_block();
#endif
    *(volatile unsigned*)&now = t + 1;
  }
  __syncthreads();
  if (threadIdx.x == 0) *out = total;
}

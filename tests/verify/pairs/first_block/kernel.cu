// SPDX-License-Identifier: Apache-2.0
// The block that comes first prepares a table for all. The bug: block 0 takes itself for that one, and waits for nobody.
extern "C" __global__ void lookup(int* table, unsigned* tickets, int* ready, int* out) {
  __shared__ bool first;
  if (threadIdx.x == 0) first = atomicAdd(tickets, 1) == 0;
  __syncthreads();
  if (first) {
    table[threadIdx.x] = threadIdx.x * 3;
    __syncthreads();
    if (threadIdx.x == 0) {
      __threadfence();
      asm volatile("st.relaxed.gpu.global.s32 [%0], 1;" ::"l"(ready) : "memory");
    }
#ifdef FIXED
  } else {
#else
  } else if (blockIdx.x != 0) {
#endif
    if (threadIdx.x == 0) {
      int now;
      do asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(now) : "l"(ready) : "memory");
      while (now == 0);
    }
    __syncthreads();
  }
  out[blockIdx.x * 32 + threadIdx.x] = table[31 - threadIdx.x];
}

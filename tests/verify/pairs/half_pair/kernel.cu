// SPDX-License-Identifier: Apache-2.0
// Two sums of 16 bits that are added to in pairs, and looked at while that goes on. The bug: both are read at once, by an
// access of 32 bits, where the pair is two accesses of 16 (8.2.5).
#include <cuda_fp16.h>
extern "C" __global__ void sums(__half* sum, unsigned short* seen) {
  if (threadIdx.x < 32) {
    atomicAdd((__half2*)sum, __floats2half2_rn(1, 2));
    return;
  }
  unsigned short low, high;
#ifdef FIXED
  asm volatile("ld.relaxed.gpu.global.u16 %0, [%1];" : "=h"(low) : "l"(sum) : "memory");
  asm volatile("ld.relaxed.gpu.global.u16 %0, [%1];" : "=h"(high) : "l"(sum + 1) : "memory");
#else
  unsigned both;
  asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(both) : "l"(sum) : "memory");
  low = both;
  high = both >> 16;
#endif
  seen[2 * threadIdx.x - 64] = low;
  seen[2 * threadIdx.x - 63] = high;
}

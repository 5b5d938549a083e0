// SPDX-License-Identifier: Apache-2.0
// A tile is copied in bulk. The bug: mbarrier.try_wait is tried once, and whoever it fails for pauses and goes on.
#include "../ptx.cuh"
__device__ __forceinline__ bool is_over(uint64_t* m, uint32_t parity) {
  uint32_t yes;
  asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
               : "=r"(yes)
               : "r"(shared(m)), "r"(parity)
               : "memory");
  return yes != 0;
}
extern "C" __global__ void tile(const int* in, int* out) {
  __shared__ alignas(128) int s[32];
  __shared__ uint64_t full;
  if (threadIdx.x == 0) {
    init(&full, 1);
    fence_init();
    expect(&full, sizeof s);
    load_bulk(s, in, sizeof s, &full);
  }
  __syncwarp();
#ifdef FIXED
  while (!is_over(&full, 0)) __nanosleep(100);
#else
  if (!is_over(&full, 0)) __nanosleep(100);
#endif
  out[threadIdx.x] = s[31 - threadIdx.x];
}

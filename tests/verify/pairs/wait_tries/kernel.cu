// SPDX-License-Identifier: Apache-2.0
// cp.async whose completion arrives at an mbarrier object. The bug: after four tries whoever waits goes on as if it were there.
#include "../ptx.cuh"
__device__ __forceinline__ bool is_over(uint64_t* m, uint32_t parity) {
  uint32_t yes;
  asm volatile(
      "{ .reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
      : "=r"(yes)
      : "r"(shared(m)), "r"(parity)
      : "memory");
  return yes != 0;
}
extern "C" __global__ void tile(const int4* in, int* out) {
  __shared__ int4 s[32];
  __shared__ uint64_t full;
  const int lane = threadIdx.x % 32;
  if (threadIdx.x == 0) init(&full, 32);
  __syncthreads();
  if (threadIdx.x < 32) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared(&s[lane])), "l"(in + lane)
                 : "memory");
    asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(shared(&full)) : "memory");
    return;
  }
  bool over = false;
  for (int tries = 0; tries < 4 && !over; ++tries) over = is_over(&full, 0);
#ifdef FIXED
  if (!over) wait(&full, 0);
#endif
  out[lane] = s[31 - lane].y;
}

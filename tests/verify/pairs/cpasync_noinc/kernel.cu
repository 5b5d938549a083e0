// SPDX-License-Identifier: Apache-2.0
// All threads arrive at an object when their cp.async are complete. The bug: without .noinc each arrival is one more that is expected.
#include "../ptx.cuh"
extern "C" __global__ void k(const int* in, int* out) {
  __shared__ alignas(16) int s[512];
  __shared__ uint64_t full;
  const int t = threadIdx.x;
  if (t == 0) init(&full, 128);
  __syncthreads();
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared(&s[t * 4])),
               "l"(__cvta_generic_to_global(in + t * 4))
               : "memory");
#ifdef FIXED
  asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(shared(&full)) : "memory");
#else
  asm volatile("cp.async.mbarrier.arrive.shared::cta.b64 [%0];" ::"r"(shared(&full)) : "memory");
#endif
  wait(&full, 0);
  out[t] = s[511 - t];
}

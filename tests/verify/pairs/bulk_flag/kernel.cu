// SPDX-License-Identifier: Apache-2.0
// A block hands on what it wrote by a bulk reduction of a counter. The bug: no fence stands in front of the reduction, whose
// own writes release nothing.
#include "../ptx.cuh"
extern "C" __global__ void hand_on(int* data, unsigned* counter, int* out) {
  __shared__ alignas(16) unsigned one[4];
  if (blockIdx.x == 0) {
    data[threadIdx.x] = static_cast<int>(threadIdx.x);
    if (threadIdx.x < 4) one[threadIdx.x] = threadIdx.x == 0 ? 1 : 0;
    fence_async();
    __syncthreads();
    if (threadIdx.x == 0) {
#ifdef FIXED
      __threadfence();
#endif
      asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], %2;" ::"l"(
                       __cvta_generic_to_global(counter)),
                   "r"(shared(one)), "r"(16)
                   : "memory");
      commit_bulk();
      wait_bulk<0>();
    }
  } else {
    if (threadIdx.x == 0) {
      unsigned seen = 0;
      while (seen == 0) asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(counter) : "memory");
    }
    __syncthreads();
    out[threadIdx.x] = data[threadIdx.x];
  }
}

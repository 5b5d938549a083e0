// SPDX-License-Identifier: Apache-2.0
// Two blocks add to the same words by bulk reductions. The bug: one adds words of 64 bits, so that what they do is not atomic to
// each other.
#include "../ptx.cuh"
extern "C" __global__ void add(const unsigned* in, unsigned* sum) {
  __shared__ alignas(128) unsigned s[64];
  s[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
  fence_async();
  __syncthreads();
  if (threadIdx.x == 0) {
    const size_t to = __cvta_generic_to_global(sum);
#ifndef FIXED
    if (blockIdx.x == 1) {
      asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u64 [%0], [%1], %2;" ::"l"(to),
                   "r"(shared(s)), "r"(256)
                   : "memory");
    } else
#endif
    {
      asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], %2;" ::"l"(to),
                   "r"(shared(s)), "r"(256)
                   : "memory");
    }
    commit_bulk();
    wait_bulk<0>();
  }
}

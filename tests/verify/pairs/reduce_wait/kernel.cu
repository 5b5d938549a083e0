// SPDX-License-Identifier: Apache-2.0
// A bulk reduction to global memory, then a look at the sum. The bug: it waits until the source was read,
// not until the sum was written.
#include "../ptx.cuh"
extern "C" __global__ void add(const int* in, int* sum, int* out) {
  __shared__ alignas(128) int s[64];
  s[threadIdx.x] = in[threadIdx.x];
  fence_async();
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.s32 [%0], [%1], %2;" ::"l"(
                     __cvta_generic_to_global(sum)),
                 "r"(shared(s)), "r"(256)
                 : "memory");
    commit_bulk();
#ifdef FIXED
    wait_bulk<0>();
#else
    wait_bulk_read<0>();
#endif
  }
  __syncthreads();
  out[threadIdx.x] = sum[threadIdx.x];
}

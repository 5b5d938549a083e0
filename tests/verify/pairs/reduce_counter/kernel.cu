// SPDX-License-Identifier: Apache-2.0
// Blocks add their tile to one in global memory by TMA, count themselves behind that, and the last one reads the sum. The bug: nothing is
// released by the count.
#include "../ptx.cuh"
extern "C" __global__ void sum(const float* in, float* sums, float* out, int* count) {
  __shared__ alignas(128) float s[64];
  __shared__ bool last;
  const unsigned t = threadIdx.x;
  s[t] = 2 * in[blockIdx.x * 64 + t];
  fence_async();
  __syncthreads();
  if (t == 0) {
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], 256;" ::"l"(
                     __cvta_generic_to_global(sums)),
                 "r"(shared(s))
                 : "memory");
    commit_bulk();
    wait_bulk<0>();
    int before;
#ifdef FIXED
    asm volatile("atom.acq_rel.gpu.global.add.s32 %0, [%1], 1;" : "=r"(before) : "l"(count) : "memory");
#else
    asm volatile("atom.acquire.gpu.global.add.s32 %0, [%1], 1;" : "=r"(before) : "l"(count) : "memory");
#endif
    last = before == gridDim.x - 1;
  }
  __syncthreads();
  if (last) out[t] = sums[t];
}

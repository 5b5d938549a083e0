// SPDX-License-Identifier: Apache-2.0
// Blocks add their tiles to one in global memory, by bulk reductions; the last one reads it. The bug: a block counts itself in when
// its tile has been read, not when it has been added.
#include "../ptx.cuh"
extern "C" __global__ void total(const int* in, int* sum, unsigned* count, int* out) {
  __shared__ alignas(128) int tile[64];
  __shared__ bool last;
  const int t = threadIdx.x;
  tile[t] = in[blockIdx.x * 64 + t];
  fence_async();
  __syncthreads();
  if (t == 0) {
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.s32 [%0], [%1], 256;" ::"l"(
                     __cvta_generic_to_global(sum)),
                 "r"(shared(tile))
                 : "memory");
    commit_bulk();
#ifdef FIXED
    wait_bulk<0>();
#else
    wait_bulk_read<0>();
#endif
    asm volatile("fence.proxy.async;" ::: "memory");
    __threadfence();
    last = atomicAdd(count, 1) == gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();
  if (last) out[t] = sum[t];
}

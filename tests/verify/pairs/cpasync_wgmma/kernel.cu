// SPDX-License-Identifier: Apache-2.0
// cp.async fills three stages that wgmma reads. The bug: no proxy fence behind cp.async.wait_group.
#include "../ptx.cuh"
__device__ __forceinline__ uint64_t matrix(const void* p) {
  return (shared(p) & 0x3ffff) >> 4 | uint64_t{128 >> 4} << 16 | uint64_t{256 >> 4} << 32;
}
extern "C" __global__ void k(const char* in, float* out, int n) {
  __shared__ alignas(128) char a[3][2048], b[3][256];
  const int t = threadIdx.x;
  const auto load = [&](int i) {
    const int at = i % 3;
    if (i < n) {
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared(&a[at][t * 16])),
                   "l"(__cvta_generic_to_global(in + i * 2304 + t * 16))
                   : "memory");
      if (t < 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared(&b[at][t * 16])),
                     "l"(__cvta_generic_to_global(in + i * 2304 + 2048 + t * 16))
                     : "memory");
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
  };
  load(0);
  load(1);
  float d[4] = {};
#pragma unroll 1
  for (int i = 0; i < n; ++i) {
    asm volatile("cp.async.wait_group 1;" ::: "memory");
#ifdef FIXED
    fence_async();
#endif
    __syncthreads();
    asm volatile("wgmma.fence.sync.aligned;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])::"memory");
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "l"(matrix(a[i % 3])), "l"(matrix(b[i % 3]))
                 : "memory");
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])::"memory");
    load(i + 2);
  }
  out[t] = d[0] + d[1] + d[2] + d[3];
}

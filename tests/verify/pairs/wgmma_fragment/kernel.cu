// SPDX-License-Identifier: Apache-2.0
// Fragments of A are in registers. The bug: they are loaded again before the product has read them.
#include "../ptx.cuh"
__device__ __forceinline__ uint64_t matrix(const void* p) {
  return (shared(p) & 0x3ffff) >> 4 | uint64_t{128 >> 4} << 16 | uint64_t{256 >> 4} << 32;
}
extern "C" __global__ void k(const uint32_t* in, float* out, int n) {
  __shared__ alignas(128) char b[8 * 16 * 2];
  const int t = threadIdx.x;
  if (t < 64) ((uint32_t*)b)[t] = in[t];
  fence_async();
  __syncthreads();
  float d[4] = {};
  uint32_t a[4];
  for (int j = 0; j < 4; ++j) a[j] = in[64 + j * 128 + t];
#pragma unroll 1
  for (int i = 0; i < n; ++i) {
    asm volatile("wgmma.fence.sync.aligned;"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+r"(a[0]), "+r"(a[1]), "+r"(a[2]),
                   "+r"(a[3])::"memory");
    asm volatile(
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, {%4, %5, %6, %7}, %8, 1, 1, 1, "
        "0;"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(matrix(b))
        : "memory");
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
#ifdef FIXED
    asm volatile("wgmma.wait_group.sync.aligned 0;"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+r"(a[0]), "+r"(a[1]), "+r"(a[2]),
                   "+r"(a[3])::"memory");
#endif
    for (int j = 0; j < 4; ++j) a[j] = in[64 + (i + 1) * 512 + j * 128 + t];
  }
  asm volatile("wgmma.wait_group.sync.aligned 0;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])::"memory");
  out[t] = d[0] + d[1] + d[2] + d[3];
}

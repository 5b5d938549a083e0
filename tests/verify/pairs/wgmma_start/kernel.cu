// SPDX-License-Identifier: Apache-2.0
// A warpgroup multiplies what a warp loads, two stages. The bug: one wgmma.fence, before the loop, at which the products start that are
// issued behind it, whatever was waited for since.
#include "../ptx.cuh"
constexpr int kStages = 2, kBytesA = 64 * 16 * 2, kBytesB = 8 * 16 * 2;
__device__ __forceinline__ uint64_t matrix(const void* p) {
  return (shared(p) & 0x3ffff) >> 4 | uint64_t{128 >> 4} << 16 | uint64_t{256 >> 4} << 32;
}
extern "C" __global__ void product(const char* in, float* out, int tiles) {
  __shared__ alignas(128) char a[kStages][kBytesA], b[kStages][kBytesB];
  __shared__ uint64_t full[kStages], empty[kStages];
  if (threadIdx.x == 0) {
    for (int i = 0; i < kStages; ++i) {
      init(&full[i], 1);
      init(&empty[i], 128);
    }
    fence_init();
  }
  __syncthreads();
  if (threadIdx.x >= 128) {
    if (threadIdx.x > 128) return;
#pragma unroll 1
    for (int i = 0; i < tiles; ++i) {
      const int at = i % kStages;
      wait(&empty[at], i / kStages % 2 ^ 1);
      expect(&full[at], kBytesA + kBytesB);
      load_bulk(a[at], in + i * (kBytesA + kBytesB), kBytesA, &full[at]);
      load_bulk(b[at], in + i * (kBytesA + kBytesB) + kBytesA, kBytesB, &full[at]);
    }
    return;
  }
  float d[4] = {};
  asm volatile("wgmma.fence.sync.aligned;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])::"memory");
#pragma unroll 1
  for (int i = 0; i < tiles; ++i) {
    const int at = i % kStages;
    wait(&full[at], i / kStages % 2);
#ifdef FIXED
    asm volatile("wgmma.fence.sync.aligned;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])::"memory");
#endif
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "l"(matrix(a[at])), "l"(matrix(b[at]))
                 : "memory");
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])::"memory");
    arrive(&empty[at]);
  }
  out[threadIdx.x] = d[0] + d[1] + d[2] + d[3];
}

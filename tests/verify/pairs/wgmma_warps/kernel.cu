// SPDX-License-Identifier: Apache-2.0
// A product of a warpgroup, for whose end its first warp waits, which then writes the result of its rows. The bug: the other
// warps leave without wgmma.wait_group, which is for all four.
#include "../ptx.cuh"
extern "C" __global__ void __launch_bounds__(128, 1) k(float* out) {
  __shared__ __align__(128) uint32_t tile[2048];
  for (uint32_t i = threadIdx.x; i < 2048; i += 128) tile[i] = 0;
  asm volatile("fence.proxy.async;" ::: "memory");
  __syncthreads();
  const uint64_t from = ((shared(tile) >> 4) & 0x3fff) | 1ull << 16 | 8ull << 32;
  float d[4] = {};
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
  asm volatile(
      "{\n .reg .pred p;\n setp.ne.b32 p, 0, 0;\n wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, %4, %4, "
      "p, 1, 1, 0, 0;\n}"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "l"(from));
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
#ifndef FIXED
  if (threadIdx.x >= 32) return;
#endif
  asm volatile("wgmma.wait_group.sync.aligned 0;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])::"memory");
  if (threadIdx.x < 32)
    for (int i = 0; i < 4; ++i) out[4 * threadIdx.x + i] = d[i];
}

// SPDX-License-Identifier: Apache-2.0
// Tiles of 64 x 64 with a swizzle of 128 bytes, four stages. The bug: they lie half a tile apart.
#include "../ptx.cuh"
struct alignas(64) Map {
  char bytes[128];
};
__device__ __forceinline__ uint64_t matrix(uint32_t at) {
  return (at & 0x3ffff) >> 4 | uint64_t{1} << 16 | uint64_t{1024 >> 4} << 32 | uint64_t{1} << 62;
}
__device__ __forceinline__ void load2d(uint32_t to, const Map* map, int x, int y, uint64_t* m) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, "
      "%3}], [%4];" ::"r"(to),
      "l"(map), "r"(x), "r"(y), "r"(shared(m))
      : "memory");
}
extern "C" __global__ void k(const __grid_constant__ Map ma, const __grid_constant__ Map mb, float* out,
                             int tiles) {
  extern __shared__ __align__(1024) char smem[];
  __shared__ uint64_t full[4], empty[4];
  const int t = threadIdx.x;
  if (t == 0) {
    for (int i = 0; i < 4; ++i) {
      init(&full[i], 1);
      init(&empty[i], 1);
    }
    fence_init();
  }
  __syncthreads();
#ifdef FIXED
  const uint32_t stride = 8192;
#else
  const uint32_t stride = 4096;
#endif
  const uint32_t a = shared(smem), b = a + 4 * stride;
  if (t >= 128) {
    if (t == 128) {
#pragma unroll 1
      for (int i = 0; i < tiles; ++i) {
        const int at = i % 4;
        wait(&empty[at], i / 4 % 2 ^ 1);
        expect(&full[at], 8192 + 1024);
        load2d(a + at * stride, &ma, i * 64, 0, &full[at]);
        load2d(b + at * 1024, &mb, i * 64, 0, &full[at]);
      }
    }
    return;
  }
  float d[4] = {};
#pragma unroll 1
  for (int i = 0; i < tiles; ++i) {
    const int at = i % 4;
    wait(&full[at], i / 4 % 2);
    asm volatile("wgmma.fence.sync.aligned;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])::"memory");
    for (int j = 0; j < 4; ++j)
      asm volatile(
          "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;"
          : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
          : "l"(matrix(a + at * stride) + j * 2), "l"(matrix(b + at * 1024) + j * 2)
          : "memory");
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])::"memory");
    meet(1, 128);
    if (t == 0) arrive(&empty[at]);
  }
  out[t] = d[0] + d[1] + d[2] + d[3];
}

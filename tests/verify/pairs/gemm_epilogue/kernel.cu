// SPDX-License-Identifier: Apache-2.0
// A persistent product: one warpgroup loads by TMA, two multiply, and store each its half of a tile by TMA from a buffer of its own. The
// bug: who stored the tile before waits until that is read, and the others of its warpgroup do not wait for it.
#include "../ptx.cuh"
struct alignas(64) Map {
  char bytes[128];
};
constexpr int kStages = 3;
struct alignas(128) Buffers {
  uint16_t a[kStages][128 * 16], b[kStages][8 * 16];
  float c[2][64 * 8];
  uint64_t full[kStages], empty[kStages];
};
struct Stage {
  int at = 0;
  uint32_t parity = 0;
  __device__ __forceinline__ void next() {
    if (++at < kStages) return;
    at = 0;
    parity ^= 1;
  }
};
__device__ __forceinline__ uint64_t matrix(const void* p) {
  return uint64_t{(shared(p) & 0x3ffff) >> 4} | uint64_t{128 >> 4} << 16 | uint64_t{256 >> 4} << 32;
}
__device__ __forceinline__ void load(void* to, const Map* map, uint64_t* m, int x, int y) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], "
      "[%2];" ::"r"(shared(to)),
      "l"(map), "r"(shared(m)), "r"(x), "r"(y)
      : "memory");
}
__device__ __forceinline__ void store(const Map* map, const void* from, int x, int y) {
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%2, %3}], [%1];" ::"l"(map),
               "r"(shared(from)), "r"(x), "r"(y)
               : "memory");
}
__device__ __forceinline__ void multiply(float (&d)[4], uint64_t a, uint64_t b) {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
  asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "l"(a), "l"(b)
               : "memory");
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
template <int kPending>
__device__ __forceinline__ void wait_products() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(kPending) : "memory");
}
extern "C" __global__ void __launch_bounds__(384)
    gemm(const __grid_constant__ Map ma, const __grid_constant__ Map mb, const __grid_constant__ Map mc,
         int tiles, int steps) {
  __shared__ Buffers s;
  const int group = threadIdx.x / 128, t = threadIdx.x % 128;
  if (threadIdx.x == 0) {
    for (int i = 0; i < kStages; ++i) {
      init(&s.full[i], 1);
      init(&s.empty[i], 2);
    }
    fence_init();
  }
  __syncthreads();
  Stage stage;
  if (group == 0) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (threadIdx.x >= 32 || !elected()) return;
#pragma unroll 1
    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
#pragma unroll 1
      for (int k = 0; k < steps; ++k, stage.next()) {
        wait(&s.empty[stage.at], stage.parity ^ 1);
        expect(&s.full[stage.at], (128 + 8) * 16 * 2);
        load(s.a[stage.at], &ma, &s.full[stage.at], k * 16, 0);
        load(s.b[stage.at], &mb, &s.full[stage.at], k * 16, tile * 8);
      }
    }
    return;
  }
  asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
  const int half = group - 1;
#pragma unroll 1
  for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    float d[4] = {0, 0, 0, 0};
    int before = -1;
#pragma unroll 1
    for (int k = 0; k < steps; ++k, stage.next()) {
      wait(&s.full[stage.at], stage.parity);
      multiply(d, matrix(s.a[stage.at] + half * 64 * 16), matrix(s.b[stage.at]));
      wait_products<1>();
      if (before >= 0 && t == 0) arrive(&s.empty[before]);
      before = stage.at;
    }
    wait_products<0>();
    if (t == 0) {
      arrive(&s.empty[before]);
      wait_bulk_read<0>();
    }
#ifdef FIXED
    meet(1 + half, 128);
#endif
    float* to = &s.c[half][t / 4 * 8 + t % 4 * 2];
    to[0] = d[0];
    to[1] = d[1];
    to[32 * 8] = d[2];
    to[32 * 8 + 1] = d[3];
    fence_async();
    meet(3 + half, 128);
    if (t == 0) {
      store(&mc, s.c[half], tile * 8, half * 64);
      commit_bulk();
    }
  }
  if (t == 0) wait_bulk<0>();
}

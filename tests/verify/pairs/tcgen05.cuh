// SPDX-License-Identifier: Apache-2.0
// A product of tiles by tcgen05, warp by warp: warp 4 loads A and B, warp 5 multiplies, warps 0 to 3 store accumulators,
// of which there are two. Each pair leaves one thing out, which it defines MISSING_... for.
#pragma once
#include "ptx.cuh"

constexpr uint32_t kColumns = 128, kWidth = 64, kBytesA = 128 * 16 * 2, kBytesB = 64 * 16 * 2;
constexpr uint32_t kShape = 1U << 4 | (kWidth / 8) << 17 | (128U / 16) << 24;  // 128 x 64 x 16, f16 to f32

__device__ __forceinline__ void allocate(uint32_t* to, uint32_t columns) {
  asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], %1;" ::"r"(shared(to)),
               "r"(columns)
               : "memory");
  asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;" ::: "memory");
}
__device__ __forceinline__ void deallocate(uint32_t at, uint32_t columns) {
  asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, %1;" ::"r"(at), "r"(columns) : "memory");
}
__device__ __forceinline__ void before_sync() {
  asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
}
__device__ __forceinline__ void after_sync() {
  asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
}
__device__ __forceinline__ void wait_loads() {
  asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory");
}
__device__ __forceinline__ void wait_stores() {
  asm volatile("tcgen05.wait::st.sync.aligned;" ::: "memory");
}
__device__ __forceinline__ uint32_t load_tensor(uint32_t at) {
  uint32_t a, b, c, d;
  asm volatile("tcgen05.ld.sync.aligned.32x32b.x4.b32 {%0, %1, %2, %3}, [%4];"
               : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
               : "r"(at)
               : "memory");
  return a ^ b ^ c ^ d;
}
__device__ __forceinline__ void store_tensor(uint32_t at, uint32_t value) {
  asm volatile("tcgen05.st.sync.aligned.32x32b.x4.b32 [%0], {%1, %1, %1, %1};" ::"r"(at), "r"(value)
               : "memory");
}
/// K-major, without swizzling: core matrices one behind the other, K first.
__device__ __forceinline__ uint64_t matrix(const void* p) {
  return (shared(p) & 0x3ffff) >> 4 | uint64_t{128 >> 4} << 16 | uint64_t{256 >> 4} << 32 | uint64_t{1} << 46;
}
__device__ __forceinline__ void multiply(uint32_t d, uint64_t a, uint64_t b, uint32_t adds) {
  asm volatile(
      "{ .reg .pred p; setp.ne.u32 p, %4, 0;\n"
      " tcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, p; }" ::"r"(d),
      "l"(a), "l"(b), "r"(kShape), "r"(adds)
      : "memory");
}
/// The same, A in tensor memory.
__device__ __forceinline__ void multiply_ts(uint32_t d, uint32_t a, uint64_t b, uint32_t adds) {
  asm volatile(
      "{ .reg .pred p; setp.ne.u32 p, %4, 0;\n tcgen05.mma.cta_group::1.kind::f16 [%0], [%1], %2, %3, p; }" ::
          "r"(d),
      "r"(a), "l"(b), "r"(kShape), "r"(adds)
      : "memory");
}
__device__ __forceinline__ void commit(uint64_t* m) {
  asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(shared(m))
               : "memory");
}
/// Objects of two stages of operands and two of accumulators; so many arrivals free an accumulator.
__device__ __forceinline__ void make_stages(uint64_t (&full)[2], uint64_t (&empty)[2], uint64_t (&done)[2],
                                            uint64_t (&free_)[2], uint32_t readers) {
  for (int i = 0; i < 2; ++i) {
    init(&full[i], 1);
    init(&empty[i], 1);
    init(&done[i], 1);
    init(&free_[i], readers);
  }
  fence_init();
}

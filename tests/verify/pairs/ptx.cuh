// SPDX-License-Identifier: Apache-2.0
// Instructions that CUDA C++ has no name for.
#pragma once
#include <cstdint>

__device__ __forceinline__ uint32_t shared(const void* p) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}
__device__ __forceinline__ void init(uint64_t* m, uint32_t count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared(m)), "r"(count) : "memory");
}
__device__ __forceinline__ void fence_init() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
/// Objects of a ring of two buffers: one thread fills each, and so many arrivals free it.
__device__ __forceinline__ void make_ring(uint64_t (&full)[2], uint64_t (&empty)[2], uint32_t readers) {
  for (int i = 0; i < 2; ++i) {
    init(&full[i], 1);
    init(&empty[i], readers);
  }
  fence_init();
}
__device__ __forceinline__ void fence_async() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
__device__ __forceinline__ void arrive(uint64_t* m) {
  asm volatile("{ .reg .b64 s; mbarrier.arrive.shared::cta.b64 s, [%0]; }" ::"r"(shared(m)) : "memory");
}
__device__ __forceinline__ void expect(uint64_t* m, uint32_t bytes) {
  asm volatile("{ .reg .b64 s; mbarrier.arrive.expect_tx.shared::cta.b64 s, [%0], %1; }" ::"r"(shared(m)),
               "r"(bytes)
               : "memory");
}
__device__ __forceinline__ void wait(uint64_t* m, uint32_t parity) {
  asm volatile(
      "{\n .reg .pred p;\nAGAIN:\n mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n @p bra DONE;\n "
      "bra AGAIN;\n"
      "DONE:\n}" ::"r"(shared(m)),
      "r"(parity)
      : "memory");
}
__device__ __forceinline__ void load_bulk(void* to, const void* from, uint32_t bytes, uint64_t* m) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
          shared(to)),
      "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(shared(m))
      : "memory");
}
__device__ __forceinline__ void store_bulk(void* to, const void* from, uint32_t bytes) {
  asm volatile(
      "cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(__cvta_generic_to_global(to)),
      "r"(shared(from)), "r"(bytes)
      : "memory");
}
__device__ __forceinline__ void commit_bulk() {
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
template <int kPending>
__device__ __forceinline__ void wait_bulk_read() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(kPending) : "memory");
}
template <int kPending>
__device__ __forceinline__ void wait_bulk() {
  asm volatile("cp.async.bulk.wait_group %0;" ::"n"(kPending) : "memory");
}
__device__ __forceinline__ bool elected() {
  uint32_t yes;
  asm volatile("{ .reg .pred p; elect.sync _|p, 0xffffffff; selp.u32 %0, 1, 0, p; }" : "=r"(yes)::"memory");
  return yes != 0;
}
__device__ __forceinline__ void meet(uint32_t id, uint32_t threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}
__device__ __forceinline__ void announce(uint32_t id, uint32_t threads) {
  asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

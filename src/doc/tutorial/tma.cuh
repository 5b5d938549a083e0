// SPDX-License-Identifier: Apache-2.0
// What the ring needs and CUDA C++ has no name for.
#pragma once
#include <cstdint>

__device__ __forceinline__ uint32_t shared(const void* p) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}
__device__ __forceinline__ void init(uint64_t* m, uint32_t arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared(m)), "r"(arrivals) : "memory");
}
__device__ __forceinline__ void fence_init() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
__device__ __forceinline__ void fence_async() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
__device__ __forceinline__ void arrive(uint64_t* m) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared(m)) : "memory");
}
__device__ __forceinline__ void expect(uint64_t* m, uint32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared(m)), "r"(bytes) : "memory");
}
__device__ __forceinline__ void wait(uint64_t* m, uint32_t parity) {
  asm volatile(
      "{\n .reg .pred p;\nAGAIN:\n mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n @!p bra AGAIN;\n}" ::"r"(
          shared(m)),
      "r"(parity)
      : "memory");
}
__device__ __forceinline__ void copy(void* to, const void* from, uint32_t bytes, uint64_t* m) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(shared(to)),
               "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(shared(m))
               : "memory");
}

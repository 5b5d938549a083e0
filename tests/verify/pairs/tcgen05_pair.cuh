// SPDX-License-Identifier: Apache-2.0
// Products of two CTAs, .cta_group::2.
#pragma once
#include "cluster.cuh"
#include "tcgen05.cuh"

constexpr uint32_t kPairShape = 1U << 4 | (2 * kWidth / 8) << 17 | (256U / 16) << 24;  // 256 x 128 x 16

__device__ __forceinline__ void allocate_pair(uint32_t* to, uint32_t columns) {
  asm volatile("tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [%0], %1;" ::"r"(shared(to)),
               "r"(columns)
               : "memory");
  asm volatile("tcgen05.relinquish_alloc_permit.cta_group::2.sync.aligned;" ::: "memory");
}
__device__ __forceinline__ void meet_pair() {
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}
__device__ __forceinline__ void wait_far(uint64_t* m, uint32_t parity) {
  asm volatile(
      "{\n .reg .pred p;\nAGAIN:\n mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%0], %1;\n "
      "@!p bra AGAIN;\n}" ::"r"(shared(m)),
      "r"(parity)
      : "memory");
}

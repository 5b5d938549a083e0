// SPDX-License-Identifier: Apache-2.0
// What CTAs of a cluster do with each other.
#pragma once
#include "ptx.cuh"

__device__ __forceinline__ uint32_t in_cta(const void* p, uint32_t cta) {
  uint32_t at;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(at) : "r"(shared(p)), "r"(cta));
  return at;
}
__device__ __forceinline__ uint32_t rank_in_cluster() {
  uint32_t rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}
__device__ __forceinline__ void meet_cluster() {
  asm volatile("barrier.cluster.arrive.release.aligned;\n barrier.cluster.wait.acquire.aligned;" ::
                   : "memory");
}
__device__ __forceinline__ void wait_for_cluster(uint64_t* m, uint32_t parity) {
  asm volatile(
      "{\n .reg .pred p;\nAGAIN:\n mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%0], %1;\n "
      "@p bra DONE;\n "
      "bra AGAIN;\nDONE:\n}" ::"r"(shared(m)),
      "r"(parity)
      : "memory");
}
__device__ __forceinline__ void arrive_remote(uint64_t* m, uint32_t cta) {
  asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(in_cta(m, cta))
               : "memory");
}

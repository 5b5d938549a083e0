// SPDX-License-Identifier: Apache-2.0
// A CTA fills the slot of another again and again, which tells it, by fences for shared memory alone, that it has read it. The bug:
// the slot is in global memory, which such fences do not order.
#include <cuda/ptx>
#include "../cluster.cuh"

extern "C" __global__ void __cluster_dims__(2, 1, 1) k(const int* in, int* out, int* outside, int n) {
  namespace ptx = cuda::ptx;
  __shared__ int inside[64];
  __shared__ uint64_t full, taken;
  const uint32_t t = threadIdx.x, rank = rank_in_cluster();
  if (t == 0) {
    init(&full, 64);
    init(&taken, 64);
    fence_init();
  }
  meet_cluster();
#pragma unroll 1
  for (int i = 0; i < n; ++i) {
    if (rank == 0) {
      if (i > 0) {
        while (!ptx::mbarrier_try_wait_parity(ptx::sem_relaxed, ptx::scope_cluster, &taken, (i - 1) & 1)) {
        }
        ptx::fence_sync_restrict(ptx::sem_acquire, ptx::space_cluster, ptx::scope_cluster);
      }
      const int value = in[i * 64 + t];
#ifdef FIXED
      asm volatile("st.shared::cluster.s32 [%0], %1;" ::"r"(in_cta(&inside[t], 1)), "r"(value) : "memory");
#else
      outside[t] = value;
#endif
      arrive_remote(&full, 1);
    } else {
      wait_for_cluster(&full, i & 1);
#ifdef FIXED
      out[i * 64 + t] = inside[63 - t];
#else
      out[i * 64 + t] = outside[63 - t];
#endif
      ptx::fence_sync_restrict(ptx::sem_release, ptx::space_shared, ptx::scope_cluster);
      asm volatile("mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _, [%0];" ::"r"(in_cta(&taken, 0)) : "memory");
    }
  }
  meet_cluster();
}

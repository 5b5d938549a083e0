// SPDX-License-Identifier: Apache-2.0
// Each block of a cluster adds to a counter of block 0, whose threads set it before they start the others by a flag. The bug:
// block 0 adds to the counter of block 1 in turn, and nothing shows that block 1 has started.
#include "../cluster.cuh"
extern "C" __global__ void __cluster_dims__(2, 1, 1) k(unsigned* flag, unsigned* out) {
  __shared__ unsigned count;
  const uint32_t rank = rank_in_cluster();
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  if (threadIdx.x == 0) {
#ifdef FIXED
    const bool first = rank == 0;
#else
    const bool first = rank == 1;
#endif
    unsigned seen = 0;
    if (first) {
      asm volatile("st.release.cluster.global.u32 [%0], 1;" ::"l"(flag) : "memory");
    } else {
      while (seen == 0) asm volatile("ld.acquire.cluster.global.u32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
    }
    if (rank == 1)
      asm volatile("red.relaxed.cluster.shared::cluster.add.u32 [%0], 1;" ::"r"(in_cta(&count, 0)) : "memory");
  }
  meet_cluster();
  if (rank == 0 && threadIdx.x == 0) *out = count;
}

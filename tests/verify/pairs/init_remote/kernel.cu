// SPDX-License-Identifier: Apache-2.0
// CTAs arrive at each other's objects. The bug: the other may not have initialised its own.
#include "../cluster.cuh"
extern "C" __global__ void __cluster_dims__(2, 1, 1) k(const int* in, int* out) {
  __shared__ int box[32];
  __shared__ uint64_t ready;
  const uint32_t t = threadIdx.x, rank = rank_in_cluster();
  if (t == 0) {
    init(&ready, 32);
    fence_init();
  }
#ifdef FIXED
  meet_cluster();
#else
  __syncthreads();
#endif
  asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(in_cta(&box[t], rank ^ 1)), "r"(in[rank * 32 + t])
               : "memory");
  arrive_remote(&ready, rank ^ 1);
  wait_for_cluster(&ready, 0);
  out[rank * 32 + t] = box[t];
  meet_cluster();
}

// SPDX-License-Identifier: Apache-2.0
// Four CTAs send their values to all. The bug: the arrival at the cluster's barrier is relaxed.
#include "../cluster.cuh"
extern "C" __global__ void __cluster_dims__(4, 1, 1) k(const int* in, int* out) {
  __shared__ int box[4][32];
  const uint32_t t = threadIdx.x, rank = rank_in_cluster();
  asm volatile("barrier.cluster.arrive.relaxed.aligned;\n barrier.cluster.wait.aligned;" ::: "memory");  // all have started
  for (uint32_t p = 0; p < 4; ++p)
    asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(in_cta(&box[rank][t], p)), "r"(in[rank * 32 + t])
                 : "memory");
#ifdef FIXED
  asm volatile("barrier.cluster.arrive.aligned;\n barrier.cluster.wait.aligned;" ::: "memory");
#else
  asm volatile("barrier.cluster.arrive.relaxed.aligned;\n barrier.cluster.wait.aligned;" ::: "memory");
#endif
  int sum = 0;
  for (int p = 0; p < 4; ++p) sum += box[p][t];
  out[rank * 32 + t] = sum;
}

// SPDX-License-Identifier: Apache-2.0
// Each CTA gives its edges to its neighbours in a cluster, and computes what needs none between the two halves of the barrier.
// The bug: the edges are given behind the arrival.
#include "../cluster.cuh"
__device__ __forceinline__ void give(float* to, uint32_t cta, float value) {
  asm volatile("st.shared::cluster.f32 [%0], %1;" ::"r"(in_cta(to, cta)), "f"(value) : "memory");
}
extern "C" __global__ void __cluster_dims__(4) stencil(const float* in, float* out, int steps) {
  __shared__ float row[2][66];
  const uint32_t rank = rank_in_cluster(), t = threadIdx.x;
  row[0][t + 1] = in[blockIdx.x * 64 + t];
  row[1][t + 1] = 0;
  if (t < 2) row[0][t * 65] = row[1][t * 65] = 0;
  meet_cluster();
#pragma unroll 1
  for (int step = 0; step < steps; ++step) {
    float *from = row[step % 2], *to = row[step % 2 ^ 1];
#ifndef FIXED
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
#endif
    if (t == 0 && rank > 0) give(&from[65], rank - 1, from[1]);
    if (t == 63 && rank < 3) give(&from[0], rank + 1, from[64]);
    __syncwarp();
#ifdef FIXED
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
#endif
    const float own = 2 * from[t + 1];
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
    to[t + 1] = own - from[t] - from[t + 2];
    __syncthreads();
  }
  out[blockIdx.x * 64 + t] = row[steps % 2][t + 1];
  meet_cluster();
}

// SPDX-License-Identifier: Apache-2.0
// Sums of a cluster in two rounds: each warp sends its part to all other CTAs, with an object for each round. The bug: both rounds use one
// buffer.
#include "../cluster.cuh"
extern "C" __global__ void __cluster_dims__(4, 1, 1) k(const float* in, float* out) {
  __shared__ float parts[2][8];
  __shared__ uint64_t full[2];
  const uint32_t t = threadIdx.x, rank = rank_in_cluster(), lane = t % 32;
  if (t == 0) {
    init(&full[0], 1);
    init(&full[1], 1);
    fence_init();
    expect(&full[0], 24);
    expect(&full[1], 24);
  }
  meet_cluster();
  float value = in[rank * 64 + t];
#pragma unroll 1
  for (int round = 0; round < 2; ++round) {
#ifdef FIXED
    float* const buffer = parts[round];
#else
    float* const buffer = parts[0];
#endif
    for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(~0U, value, step);
    if (lane == rank) buffer[rank * 2 + t / 32] = value;
    if (lane < 4 && lane != rank)
      asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(
                       in_cta(&buffer[rank * 2 + t / 32], lane)),
                   "r"(__float_as_uint(value)), "r"(in_cta(&full[round], lane))
                   : "memory");
    wait_for_cluster(&full[round], 0);
    __syncthreads();
    float sum = 0;
    for (int i = 0; i < 8; ++i) sum += buffer[i];
    value *= sum;
  }
  out[rank * 64 + t] = value;
  meet_cluster();
}

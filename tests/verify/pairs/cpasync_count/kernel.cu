// SPDX-License-Identifier: Apache-2.0
// Three stages of cp.async. The bug: the wait leaves one group too many open.
#include <cuda_pipeline.h>
constexpr int kStages = 3;
extern "C" __global__ void scale(const float4* in, float4* out, int tiles) {
  __shared__ float4 s[kStages][64];
  const int t = threadIdx.x;
  for (int i = 0; i < kStages - 1; ++i) {
    if (i < tiles) __pipeline_memcpy_async(&s[i][t], &in[i * 64 + t], 16);
    __pipeline_commit();
  }
#pragma unroll 1
  for (int i = 0; i < tiles; ++i) {
#ifdef FIXED
    __pipeline_wait_prior(kStages - 2);
#else
    __pipeline_wait_prior(kStages - 1);
#endif
    __syncthreads();
    const int next = i + kStages - 1;
    if (next < tiles) __pipeline_memcpy_async(&s[next % kStages][t], &in[next * 64 + t], 16);
    __pipeline_commit();
    out[i * 64 + t] = s[i % kStages][63 - t];
  }
}

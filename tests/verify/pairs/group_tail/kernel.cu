// SPDX-License-Identifier: Apache-2.0
// Three stages of cp.async, a group a turn. The bug: where nothing is left to load, no group is committed, so that the count of
// the wait leaves one open that is read.
#include <cuda_pipeline.h>
constexpr int kStages = 3;
extern "C" __global__ void total(const float4* in, float* out, int tiles) {
  __shared__ float4 s[kStages][64];
  const int t = threadIdx.x;
  for (int i = 0; i < kStages - 1; ++i) {
    __pipeline_memcpy_async(&s[i][t], &in[i * 64 + t], 16);
    __pipeline_commit();
  }
  float sum = 0;
#pragma unroll 1
  for (int i = 0; i < tiles; ++i) {
    __pipeline_wait_prior(kStages - 2);
    __syncthreads();
    const float4 v = s[i % kStages][63 - t];
    sum += v.x * v.y + v.z * v.w;
    const int next = i + kStages - 1;
    if (next < tiles) {
      __pipeline_memcpy_async(&s[next % kStages][t], &in[next * 64 + t], 16);
#ifndef FIXED
      __pipeline_commit();
#endif
    }
#ifdef FIXED
    __pipeline_commit();
#endif
  }
  out[t] = sum;
}

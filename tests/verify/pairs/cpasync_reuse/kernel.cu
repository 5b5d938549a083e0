// SPDX-License-Identifier: Apache-2.0
// Two stages of cp.async. The bug: a stage is refilled while other threads may still read it.
#include <cuda_pipeline.h>
extern "C" __global__ void flip(const int4* in, int4* out, int tiles) {
  __shared__ int4 s[2][128];
  const int t = threadIdx.x;
  __pipeline_memcpy_async(&s[0][t], &in[t], 16);
  __pipeline_commit();
#pragma unroll 1
  for (int i = 0; i < tiles; ++i) {
    if (i + 1 < tiles) __pipeline_memcpy_async(&s[(i + 1) & 1][t], &in[(i + 1) * 128 + t], 16);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    out[i * 128 + t] = s[i & 1][127 - t];
#ifdef FIXED
    __syncthreads();
#endif
  }
}

// SPDX-License-Identifier: Apache-2.0
// Sum of all blocks by the last one. The bug: no fence between the partial sum and the ticket.
__device__ unsigned ticket;
extern "C" __global__ void sum(const float* in, float* partial, float* out) {
  __shared__ float s[64];
  __shared__ bool last;
  s[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
  for (int w = 32; w > 0; w /= 2) {
    __syncthreads();
    if (threadIdx.x < w) s[threadIdx.x] += s[threadIdx.x + w];
  }
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = s[0];
#ifdef FIXED
    __threadfence();
#endif
    last = atomicInc(&ticket, gridDim.x - 1) == gridDim.x - 1;
#ifdef FIXED
    __threadfence();
#endif
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    float all = 0;
    for (int i = 0; i < gridDim.x; ++i) all += partial[i];
    *out = all;
  }
}

// SPDX-License-Identifier: Apache-2.0
// Sums of sixteen blocks, added up by the last of them. The bug: its other threads read the sums with nothing behind the counter.
extern "C" __global__ void total(const float* in, float* part, unsigned* count, float* out) {
  __shared__ float s[64];
  __shared__ bool last;
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 64 + t];
  __syncthreads();
  if (t == 0) {
    float sum = 0;
    for (int i = 0; i < 64; ++i) sum += s[i];
    part[blockIdx.x] = sum;
    __threadfence();
    last = atomicAdd(count, 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
#ifdef FIXED
  __threadfence();
#endif
  s[t] = t < gridDim.x ? part[t] : 0;
  __syncthreads();
  if (t == 0) {
    float sum = 0;
    for (int i = 0; i < 16; ++i) sum += s[i];
    *out = sum;
    *count = 0;
  }
}

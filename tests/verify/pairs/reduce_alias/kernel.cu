// SPDX-License-Identifier: Apache-2.0
// Two block reductions through one buffer. The bug: the second overwrites the buffer that others still read.
__device__ int block_sum(int v, int* s) {
  for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(0xffffffffu, v, d);
  if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = v;
  __syncthreads();
  v = 0;
  for (int i = 0; i < blockDim.x / 32; ++i) v += s[i];
#ifdef FIXED
  __syncthreads();
#endif
  return v;
}
extern "C" __global__ void moments(const int* in, int* out) {
  __shared__ int s[32];
  const int v = in[threadIdx.x];
  const int a = block_sum(v, s), b = block_sum(v * v, s);
  if (threadIdx.x == 0) {
    out[0] = a;
    out[1] = b;
  }
}

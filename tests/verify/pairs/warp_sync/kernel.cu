// SPDX-License-Identifier: Apache-2.0
// The last steps of a reduction within one warp. The bug: lanes are taken to go in step.
extern "C" __global__ void reduce(const int* in, int* out) {
  __shared__ int s[64];
  s[threadIdx.x] = in[threadIdx.x] + in[threadIdx.x + 64];
  __syncthreads();
  if (threadIdx.x < 32) {
    int v = s[threadIdx.x];
    for (int d = 32; d > 0; d /= 2) {
      v += s[threadIdx.x + d];
#ifdef FIXED
      __syncwarp();
#endif
      s[threadIdx.x] = v;
#ifdef FIXED
      __syncwarp();
#endif
    }
    if (threadIdx.x == 0) *out = v;
  }
}

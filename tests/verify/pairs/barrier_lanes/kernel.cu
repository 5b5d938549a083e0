// SPDX-License-Identifier: Apache-2.0
// Rows that are no multiple of a warp. The bug: threads without an element go past the barrier, which is then for a
// part of the last warp.
extern "C" __global__ void reversed(const int* in, int* out, int n) {
  __shared__ int s[64];
  const int i = threadIdx.x;
#ifdef FIXED
  if (i < n) s[i] = in[i];
  __syncthreads();
  if (i < n) out[i] = s[n - 1 - i];
#else
  if (i < n) {
    s[i] = in[i];
    __syncthreads();
    out[i] = s[n - 1 - i];
  }
#endif
}

// SPDX-License-Identifier: Apache-2.0
// A thread whose element is not zero takes that of its partner. The bug: only such threads come to the barrier.
extern "C" __global__ void exchange(const int* in, int* out) {
  __shared__ int s[128];
  const int v = in[threadIdx.x];
  s[threadIdx.x] = v;
#ifdef FIXED
  __syncthreads();
#endif
  if (v != 0) {
#ifndef FIXED
    __syncthreads();
#endif
    out[threadIdx.x] = s[127 - threadIdx.x];
  }
}

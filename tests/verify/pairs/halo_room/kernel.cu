// SPDX-License-Identifier: Apache-2.0
// A row with both of its neighbours. The bug: its array has room for one of them, and the other lies in what follows.
extern "C" __global__ void blur(const float* in, float* out) {
#ifdef FIXED
  __shared__ float row[66];
#else
  __shared__ float row[65];
#endif
  __shared__ float scale[66];
  const int i = threadIdx.x;
  row[i + 1] = in[i];
  if (i == 0) row[0] = 0;
#ifdef FIXED
  if (i == 1) row[65] = 0;
#endif
  scale[i] = in[i + 64];
  __syncthreads();
  out[i] = (row[i] + row[i + 1] + row[i + 2]) * scale[i ^ 1];
}

// SPDX-License-Identifier: Apache-2.0
// A block passes tiles through one row of shared memory, in a loop that is unrolled. The bug: nothing lets the threads wait for those that still
// read the row. The mend: a barrier there, which is one line, and several instructions.
extern "C" __global__ void neighbours(const float* in, float* out) {
  __shared__ float row[64];
  const int t = threadIdx.x;
#pragma unroll
  for (int tile = 0; tile < 4; ++tile) {
#ifdef FIXED
    __syncthreads();
#endif
    row[t] = in[tile * 64 + t];
    __syncthreads();
    out[tile * 64 + t] = row[t ^ 63];
  }
}

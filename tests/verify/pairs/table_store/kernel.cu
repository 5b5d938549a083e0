// SPDX-License-Identifier: Apache-2.0
// A table of factors. The bug: it is in constant memory, and a thread writes to it by a pointer.
#ifdef FIXED
__device__ int table[64];
#else
__constant__ int table[64];
#endif
extern "C" __global__ void scaled(const int* in, int* out) {
  int* factors = table;
  asm volatile("" : "+l"(factors));
  const int i = threadIdx.x;
  factors[i] = in[i];
  __syncthreads();
  out[i] = in[i] * factors[63 - i];
}

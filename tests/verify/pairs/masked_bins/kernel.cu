// SPDX-License-Identifier: Apache-2.0
// A histogram of the lowest bits of words, of which nothing is known. The bug: a thread reads a bin before all of them have counted.
extern "C" __global__ void bins(const unsigned* in, unsigned* out) {
  __shared__ unsigned count[16];
  if (threadIdx.x < 16) count[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&count[in[threadIdx.x] & 15], 1);
#ifdef FIXED
  __syncthreads();
#endif
  if (threadIdx.x < 16) out[threadIdx.x] = count[threadIdx.x];
}

// SPDX-License-Identifier: Apache-2.0
// A histogram in shared memory. The bug: counting begins before all bins are zero.
extern "C" __global__ void count(const unsigned char* in, unsigned* out, int n) {
  __shared__ unsigned bins[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) bins[i] = 0;
#ifdef FIXED
  __syncthreads();
#endif
  for (int i = threadIdx.x; i < n; i += blockDim.x) atomicAdd(&bins[in[i]], 1);
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x) atomicAdd(&out[i], bins[i]);
}

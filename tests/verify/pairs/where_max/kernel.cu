// SPDX-License-Identifier: Apache-2.0
// The greatest of a block's values, and where it is. The bug: two words, of which the second is stored by whoever was the greatest so
// far, one behind the other or not.
extern "C" __global__ void k(const unsigned* in, unsigned* out) {
  unsigned v = in[threadIdx.x];
#ifdef FIXED
  __shared__ unsigned long long best;
  if (threadIdx.x == 0) best = 0;
  __syncthreads();
  atomicMax(&best, static_cast<unsigned long long>(v) << 32 | threadIdx.x);
  __syncthreads();
  if (threadIdx.x == 0) out[0] = best >> 32, out[1] = static_cast<unsigned>(best);
#else
  __shared__ unsigned best, where;
  if (threadIdx.x == 0) best = where = 0;
  __syncthreads();
  if (atomicMax(&best, v) < v) where = threadIdx.x;
  __syncthreads();
  if (threadIdx.x == 0) out[0] = best, out[1] = where;
#endif
}

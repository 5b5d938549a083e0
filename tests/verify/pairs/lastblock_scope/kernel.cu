// SPDX-License-Identifier: Apache-2.0
// Three warps of each block leave sums, the first one counts the block; the last block adds up what all left, by those warps. The
// bug: the fence behind the sums is one of the block.
extern "C" __global__ void total(const int* in, int* sums, int* out, unsigned* count) {
  __shared__ bool last;
  const unsigned t = threadIdx.x;
  if (t >= 32) sums[blockIdx.x * 128 + t] = 2 * in[t];
#ifdef FIXED
  __threadfence();
#else
  __threadfence_block();
#endif
  __syncthreads();
  if (t == 0) {
    last = atomicInc(count, gridDim.x - 1) == gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();
  if (!last || t < 32) return;
  int sum = 0;
#pragma unroll 1
  for (unsigned b = 0; b < gridDim.x; ++b) sum += sums[b * 128 + t];
  out[t] = sum;
}

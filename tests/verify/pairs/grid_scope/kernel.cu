// SPDX-License-Identifier: Apache-2.0
// The last of 1000 CTAs adds up what all have written. The bug: the fence before the counter is one of the CTA.
#include "../ptx.cuh"
extern "C" __global__ void total(const int* in, int* sums, int* out, unsigned* count) {
  __shared__ bool last;
  const int i = threadIdx.x;
  int sum = in[blockIdx.x * 64 + i];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffff, sum, step);
  if (i % 32 == 0) sums[blockIdx.x * 2 + i / 32] = sum;
  __syncthreads();
  if (i == 0) {
#ifdef FIXED
    __threadfence();
#else
    __threadfence_block();
#endif
    last = atomicAdd(count, 1) == gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();
  if (!last) return;
  int all = 0;
  for (int at = i; at < 2 * gridDim.x; at += 64) all += sums[at];
  atomicAdd(out, all);
}

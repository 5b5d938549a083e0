// SPDX-License-Identifier: Apache-2.0
// Half of the warps have nothing to do and exit; two others exchange a word each. The bug: they do not wait for each other. __syncthreads()
// is no mend, as it needs all threads of the block. The mend: a barrier of those that are there.
extern "C" __global__ void exchange(const int* in, int* out) {
  __shared__ int word[2];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (warp >= 2) return;
  if (lane == 0) word[warp] = in[warp];
#ifdef FIXED
  asm volatile("bar.sync 1, 64;" ::: "memory");
#endif
  out[threadIdx.x] = word[1 - warp];
}

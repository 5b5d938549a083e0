// SPDX-License-Identifier: Apache-2.0
// One block hands an array to the next; thread 0 waits for the flag, the block meets, and all fence. (These are fence.sc, in
// the order that the read of the flag tells.) The bug: the fences are of the block.
extern "C" __global__ void hand(int* data, int* out, volatile unsigned* flag) {
  const int i = threadIdx.x;
  if (blockIdx.x == 0) {
    data[i] = i;
    __syncthreads();
    if (i == 0) {
      __threadfence();
      *flag = 1;
    }
  } else {
    if (i == 0)
      while (*flag == 0) {
      }
    __syncthreads();
#ifdef FIXED
    __threadfence();
#else
    __threadfence_block();
#endif
    out[i] = data[i];
  }
}

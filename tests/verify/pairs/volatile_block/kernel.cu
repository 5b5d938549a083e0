// SPDX-License-Identifier: Apache-2.0
// Two warps of one block through a volatile flag in shared memory. The bug: the fence between data and flag
// is missing.
extern "C" __global__ void hand(const int* in, int* out) {
  __shared__ volatile int flag;
  __shared__ int s[32];
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  const int lane = threadIdx.x % 32;
  if (threadIdx.x < 32) {
    s[lane] = in[lane];
    __syncwarp();
    if (lane == 0) {
#ifdef FIXED
      __threadfence_block();
#endif
      flag = 1;
    }
  } else {
    if (lane == 0) {
      while (flag == 0) {
      }
      __threadfence_block();
    }
    __syncwarp();
    out[lane] = s[31 - lane];
  }
}

// SPDX-License-Identifier: Apache-2.0
// One block hands an array to the next; data and flag are volatile, so that nothing races. The bug: no fence behind the data.
extern "C" __global__ void pass(volatile int* data, volatile int* flag, int* out) {
  const int t = threadIdx.x;
  if (blockIdx.x == 0) {
    data[t] = t;
#ifdef FIXED
    __threadfence();
#endif
    __syncthreads();
    if (t == 0) *flag = 1;
  } else {
    if (t == 0) {
      while (*flag == 0) {
      }
      __threadfence();
    }
    __syncthreads();
    out[t] = data[t];
  }
}

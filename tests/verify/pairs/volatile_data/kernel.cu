// SPDX-License-Identifier: Apache-2.0
// One block hands an array to the next; data and flag are volatile, so that nothing races. The bug: no fence behind the poll, so
// that data may be read as it was before.
extern "C" __global__ void pass(volatile int* data, volatile int* flag, int* out) {
  const int t = threadIdx.x;
  if (blockIdx.x == 0) {
    data[t] = t;
    __syncwarp();
    __threadfence();
    if (t == 0) *flag = 1;
  } else {
    while (*flag == 0) {
    }
#ifdef FIXED
    __threadfence();
#endif
    out[t] = data[t];
  }
}

// SPDX-License-Identifier: Apache-2.0
// A counter polled by atomicAdd(p, 0). The bug: no fence behind the poll.
extern "C" __global__ void gather(int* data, unsigned* count, int* out) {
  if (blockIdx.x != 0) {
    if (threadIdx.x == 0) {
      data[blockIdx.x] = blockIdx.x;
      __threadfence();
      atomicAdd(count, 1);
    }
    return;
  }
  if (threadIdx.x == 0) {
    while (atomicAdd(count, 0) != gridDim.x - 1) __nanosleep(100);
#ifdef FIXED
    __threadfence();
#endif
    int sum = 0;
    for (int i = 1; i < gridDim.x; ++i) sum += data[i];
    *out = sum;
  }
}

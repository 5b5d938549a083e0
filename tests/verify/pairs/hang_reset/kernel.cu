// SPDX-License-Identifier: Apache-2.0
// Blocks meet at a counter and then set it back for the next launch. The bug: the last one to arrive sets
// it back while others may still poll.
extern "C" __global__ void meet(unsigned* count, int* data, int* out) {
  if (threadIdx.x == 0) {
    data[blockIdx.x] = blockIdx.x;
    __threadfence();
    const unsigned before = atomicAdd(count, 1);
#ifdef FIXED
    (void)before;
    while (*(volatile unsigned*)count < gridDim.x) {
    }
    __threadfence();
#else
    if (before == gridDim.x - 1) {
      atomicExch(count, 0);
    } else {
      while (*(volatile unsigned*)count != gridDim.x) {
      }
    }
    __threadfence();
#endif
    out[blockIdx.x] = data[(blockIdx.x + 1) % gridDim.x];
  }
}

// SPDX-License-Identifier: Apache-2.0
// A lock around a counter of all blocks. The bug: it is given back by a plain volatile store, with no fence
// before it.
extern "C" __global__ void add(int* lock, int* total) {
  if (threadIdx.x == 0) {
    while (atomicCAS(lock, 0, 1) != 0) __nanosleep(20);
    __threadfence();
    *total = *total + blockIdx.x;
#ifdef FIXED
    __threadfence();
#endif
    atomicExch(lock, 0);
  }
}

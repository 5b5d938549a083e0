// SPDX-License-Identifier: Apache-2.0
// A lock that is looked at before it is tried, and looked at again if that fails. The bug: it is given back with nothing
// behind what it guards.
extern "C" __global__ void count(unsigned* lock, int* sum) {
  if (threadIdx.x != 0) return;
  while (true) {
    while (*(volatile unsigned*)lock != 0u) {
    }
    if (atomicCAS(lock, 0u, 1u) == 0u) break;
  }
  __threadfence();
  *sum = *sum + 1;
#ifdef FIXED
  __threadfence();
#endif
  atomicExch(lock, 0u);
}

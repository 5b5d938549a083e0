// SPDX-License-Identifier: Apache-2.0
// A lock that is tried once: who finds it taken counts a miss. The bug: nothing stands between the swap that takes it and
// what it guards.
extern "C" __global__ void count(unsigned* lock, int* sum, int* misses) {
  if (threadIdx.x != 0) return;
  if (atomicCAS(lock, 0u, 1u) != 0u) {
    atomicAdd(misses, 1);
    return;
  }
#ifdef FIXED
  __threadfence();
#endif
  *sum = *sum + 1;
  __threadfence();
  atomicExch(lock, 0u);
}

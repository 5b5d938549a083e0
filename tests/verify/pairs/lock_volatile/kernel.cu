// SPDX-License-Identifier: Apache-2.0
// Blocks count under a lock; the counter is volatile, so that nothing races. The bug: no fence before the lock is given back, so
// that who takes it next may read the counter as it was before.
extern "C" __global__ void count(int* lock, volatile int* counter) {
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  __threadfence();
  *counter = *counter + 1;
#ifdef FIXED
  __threadfence();
#endif
  atomicExch(lock, 0);
}

// SPDX-License-Identifier: Apache-2.0
// A counter that a lock guards. The bug: it is stored after the lock is given back. The mend: before.
extern "C" __global__ void count_blocks(unsigned* lock, unsigned* count) {
  __shared__ unsigned before;
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  __threadfence();
  before = *count;
#ifdef FIXED
  *count = before + 1;
  __threadfence();
  atomicExch(lock, 0);
#else
  __threadfence();
  atomicExch(lock, 0);
  *count = before + 1;
#endif
}

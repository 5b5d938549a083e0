// SPDX-License-Identifier: Apache-2.0
// A lock that each lane of a warp takes, and gives back behind the loop. The bug: no fence before it is given back.
extern "C" __global__ void count(int* lock, int* total) {
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  __threadfence();
  *total = *total + 1;
#ifdef FIXED
  __threadfence();
#endif
  atomicExch(lock, 0);
}

// SPDX-License-Identifier: Apache-2.0
// Each block adds its share to a total, under a lock.
extern "C" __global__ void add(int* lock, int* total) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  __threadfence();
  *total += 10 + blockIdx.x;
  __threadfence();
  atomicExch(lock, 0);
}

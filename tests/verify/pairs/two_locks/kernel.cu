// SPDX-License-Identifier: Apache-2.0
// Two locks held together, by every block. The bug: blocks take them in different orders.
__device__ __forceinline__ void take(unsigned* lock) {
  while (atomicCAS(lock, 0u, 1u) != 0u) {
  }
  __threadfence();
}
__device__ __forceinline__ void give(unsigned* lock) {
  __threadfence();
  atomicExch(lock, 0u);
}
extern "C" __global__ void move(unsigned* locks, int* from, int* to) {
  if (threadIdx.x != 0) return;
#ifdef FIXED
  const int first = 0;
#else
  const int first = blockIdx.x % 2;
#endif
  take(&locks[first]);
  take(&locks[1 - first]);
  *from -= 1;
  *to += 1;
  give(&locks[1 - first]);
  give(&locks[first]);
}

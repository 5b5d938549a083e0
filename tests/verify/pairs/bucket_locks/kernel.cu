// SPDX-License-Identifier: Apache-2.0
// A lock for each of two buckets, which blocks take one after the other. The bug: the second count is read before its lock
// is taken.
__device__ __forceinline__ void take(unsigned* lock) {
  while (atomicCAS(lock, 0u, 1u) != 0u) {
  }
  __threadfence();
}
__device__ __forceinline__ void give(unsigned* lock) {
  __threadfence();
  atomicExch(lock, 0u);
}
extern "C" __global__ void count(unsigned* locks, int* counts) {
  if (threadIdx.x != 0) return;
  const int first = blockIdx.x % 2, second = 1 - first;
  take(&locks[first]);
  counts[first] += 1;
  give(&locks[first]);
#ifdef FIXED
  take(&locks[second]);
  const int n = counts[second];
#else
  const int n = counts[second];
  take(&locks[second]);
#endif
  counts[second] = n + 1;
  give(&locks[second]);
}

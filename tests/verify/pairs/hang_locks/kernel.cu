// SPDX-License-Identifier: Apache-2.0
// Transfers between accounts, each behind a lock. The bug: two blocks take the locks of the same two accounts in opposite
// orders.
extern "C" __global__ void transfer(int* locks, int* accounts) {
  if (threadIdx.x != 0) return;
  int first = blockIdx.x, second = 1 - blockIdx.x;
#ifdef FIXED
  if (first > second) {
    first = 0;
    second = 1;
  }
#endif
  while (atomicCAS(&locks[first], 0, 1) != 0) __nanosleep(20);
  while (atomicCAS(&locks[second], 0, 1) != 0) __nanosleep(20);
  __threadfence();
  --accounts[blockIdx.x];
  ++accounts[1 - blockIdx.x];
  __threadfence();
  atomicExch(&locks[second], 0);
  atomicExch(&locks[first], 0);
}

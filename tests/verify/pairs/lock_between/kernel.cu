// SPDX-License-Identifier: Apache-2.0
// Two blocks announce themselves, and the one that finds no announcement of the other writes; each takes a lock between and gives
// it back at once, which orders what a fence.sc would. The bug: the lock is given back without a release.
#include <cuda/atomic>
using A = cuda::atomic_ref<int, cuda::thread_scope_device>;
extern "C" __global__ void k(int* announced, int* lock, int* data) {
  if (threadIdx.x) return;
  const int self = blockIdx.x;
  A(announced[self]).store(1, cuda::memory_order_relaxed);
  while (A(*lock).exchange(1, cuda::memory_order_acquire) != 0) {
  }
#ifdef FIXED
  A(*lock).store(0, cuda::memory_order_release);
#else
  A(*lock).store(0, cuda::memory_order_relaxed);
#endif
  if (A(announced[1 - self]).load(cuda::memory_order_relaxed) == 0) data[0] = self;
}

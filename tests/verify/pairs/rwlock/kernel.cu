// SPDX-License-Identifier: Apache-2.0
// A lock of readers, who count up, and a writer, who swaps 0 for -1. The bug: the writer gives it back by a relaxed store.
#include <cuda/atomic>
using A = cuda::atomic_ref<int, cuda::thread_scope_device>;
extern "C" __global__ void k(int* lock, int* data, int* out) {
  if (threadIdx.x) return;
  A l(*lock);
  if (blockIdx.x == 0) {
    int zero = 0;
    while (!l.compare_exchange_weak(zero, -1, cuda::memory_order_acquire, cuda::memory_order_relaxed)) zero = 0;
    data[0] = 1; data[1] = 2;
#ifdef FIXED
    l.store(0, cuda::memory_order_release);
#else
    l.store(0, cuda::memory_order_relaxed);
#endif
  } else {
    int n = l.load(cuda::memory_order_relaxed);
    for (;;) {
      while (n < 0) n = l.load(cuda::memory_order_relaxed);
      if (l.compare_exchange_weak(n, n + 1, cuda::memory_order_acquire, cuda::memory_order_relaxed)) break;
    }
    out[blockIdx.x] = data[0] + data[1];
    l.fetch_sub(1, cuda::memory_order_release);
  }
}

// SPDX-License-Identifier: Apache-2.0
// A lock with a queue: who comes exchanges the tail, and each waits for a word of its own. The bug: it is handed over by a relaxed store.
#include <cuda/atomic>
using A = cuda::atomic_ref<int, cuda::thread_scope_device>;
extern "C" __global__ void k(int* tail, int* next, int* go, int* x) {
  if (threadIdx.x) return;
  int me = blockIdx.x + 1;
  int before = A(*tail).exchange(me, cuda::memory_order_acq_rel);
  if (before) { A(next[before]).store(me, cuda::memory_order_release); while (!A(go[me]).load(cuda::memory_order_acquire)) {} }
  *x += 1;
  int expected = me;
  if (!A(*tail).compare_exchange_strong(expected, 0, cuda::memory_order_release, cuda::memory_order_relaxed)) {
    int n; while ((n = A(next[me]).load(cuda::memory_order_acquire)) == 0) {}
#ifdef FIXED
    A(go[n]).store(1, cuda::memory_order_release);
#else
    A(go[n]).store(1, cuda::memory_order_relaxed);
#endif
  }
}

// SPDX-License-Identifier: Apache-2.0
// A stack of nodes: blocks push one each by a swap, then pop one. The bug: a node's link is written behind the swap.
#include <cuda/atomic>
using A = cuda::atomic_ref<int, cuda::thread_scope_device>;
extern "C" __global__ void k(int* head, int* next, int* value, int* out) {
  if (threadIdx.x) return;
  int me = blockIdx.x + 1;
  A h(*head);
  value[me] = me;
  int old = h.load(cuda::memory_order_relaxed);
#ifdef FIXED
  do { next[me] = old; } while (!h.compare_exchange_weak(old, me, cuda::memory_order_release, cuda::memory_order_relaxed));
#else
  while (!h.compare_exchange_weak(old, me, cuda::memory_order_release, cuda::memory_order_relaxed)) {}
  next[me] = old;
#endif
  old = h.load(cuda::memory_order_acquire);
  while (old != 0 && !h.compare_exchange_weak(old, ((volatile int*)next)[old], cuda::memory_order_acquire, cuda::memory_order_acquire)) {}
  if (old) out[blockIdx.x] = value[old];
}

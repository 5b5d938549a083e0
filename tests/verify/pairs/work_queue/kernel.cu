// SPDX-License-Identifier: Apache-2.0
// A queue: producers and consumers take slots by atomics, and a flag of each slot says that its item is there. The bug: the flag is set
// before the item is stored.
#include <cuda/atomic>
using A = cuda::atomic_ref<int, cuda::thread_scope_device>;
extern "C" __global__ void k(int* tail, int* head, int* ready, int* items, int* out) {
  if (threadIdx.x) return;
  if (blockIdx.x < 2) {
    int s = atomicAdd(tail, 1);
#ifdef FIXED
    items[s] = blockIdx.x + 10; A(ready[s]).store(1, cuda::memory_order_release);
#else
    A(ready[s]).store(1, cuda::memory_order_release); items[s] = blockIdx.x + 10;
#endif
  } else {
    int s = atomicAdd(head, 1);
    while (A(ready[s]).load(cuda::memory_order_acquire) == 0) {}
    out[s] = items[s];
  }
}

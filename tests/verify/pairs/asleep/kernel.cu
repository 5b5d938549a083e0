// SPDX-License-Identifier: Apache-2.0
// A consumer says that it sleeps, and looks for an item once more; a producer puts one, and looks whether somebody sleeps. The bug: no
// fence.sc between the two in the producer, so that each may miss the other.
#include <cuda/atomic>
using A = cuda::atomic_ref<int, cuda::thread_scope_device>;
extern "C" __global__ void k(int* asleep, int* item, int* owner) {
  if (threadIdx.x) return;
  if (blockIdx.x == 0) {
    A(*item).store(1, cuda::memory_order_release);
#ifdef FIXED
    asm volatile("fence.sc.gpu;" ::: "memory");
#endif
    if (A(*asleep).load(cuda::memory_order_acquire) == 0) *owner = 0;
  } else {
    A(*asleep).store(1, cuda::memory_order_release);
    asm volatile("fence.sc.gpu;" ::: "memory");
    if (A(*item).load(cuda::memory_order_acquire) == 0) *owner = 1;
  }
}

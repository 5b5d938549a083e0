// SPDX-License-Identifier: Apache-2.0
// A reader announces which node it reads, looks whether that is still published, and reads it; a writer takes it out, looks for
// announcements, and writes it anew. The bug: no fence.sc between the announcement and the second look.
#include <cuda/atomic>
using A = cuda::atomic_ref<int, cuda::thread_scope_device>;
extern "C" __global__ void k(int* head, int* hazard, int* node, int* out) {
  if (threadIdx.x) return;
  if (blockIdx.x == 0) {
    int p = A(*head).load(cuda::memory_order_acquire);
    if (p == 0) return;
    A(*hazard).store(p, cuda::memory_order_relaxed);
#ifdef FIXED
    asm volatile("fence.sc.gpu;" ::: "memory");
#endif
    if (A(*head).load(cuda::memory_order_acquire) == p) out[0] = node[p];
    A(*hazard).store(0, cuda::memory_order_release);
  } else {
    A(*head).store(0, cuda::memory_order_relaxed);
    asm volatile("fence.sc.gpu;" ::: "memory");
    if (A(*hazard).load(cuda::memory_order_acquire) == 0) node[1] = 5;
  }
}

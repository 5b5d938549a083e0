// SPDX-License-Identifier: Apache-2.0
// An index is published, and whoever sees it reads there. The bug: it is read by a relaxed load, and what an address rests on orders
// nothing.
#include <cuda/atomic>
using A = cuda::atomic_ref<int, cuda::thread_scope_device>;
extern "C" __global__ void k(int* p, int* data, int* out) {
  if (threadIdx.x) return;
  if (blockIdx.x == 0) { data[3] = 7; A(*p).store(3, cuda::memory_order_release); }
  else {
#ifdef FIXED
    int i = A(*p).load(cuda::memory_order_acquire);
#else
    int i = A(*p).load(cuda::memory_order_relaxed);
#endif
    if (i) out[0] = data[i];
  }
}

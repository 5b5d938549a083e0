// SPDX-License-Identifier: Apache-2.0
// A ring of two slots between two blocks, by counters. The bug: the consumer gives a slot back before it has read it.
#include <cuda/atomic>
using A = cuda::atomic_ref<unsigned, cuda::thread_scope_device>;
extern "C" __global__ void k(unsigned* head, unsigned* tail, int* slots, const int* in, int* out) {
  if (threadIdx.x) return;
  if (blockIdx.x == 0) {
    for (unsigned i = 0; i < 4; ++i) {
      while (i - A(*head).load(cuda::memory_order_acquire) >= 2) {}
      slots[i % 2] = in[i]; A(*tail).store(i + 1, cuda::memory_order_release);
    }
  } else {
    for (unsigned i = 0; i < 4; ++i) {
      while (A(*tail).load(cuda::memory_order_acquire) == i) {}
#ifdef FIXED
      out[i] = slots[i % 2]; A(*head).store(i + 1, cuda::memory_order_release);
#else
      A(*head).store(i + 1, cuda::memory_order_release); out[i] = slots[i % 2];
#endif
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
// A table is made once, by whoever finds it missing, under a lock. The bug: who finds it there has read that by a relaxed load.
#include <cuda/atomic>
using A = cuda::atomic_ref<int, cuda::thread_scope_device>;
extern "C" __global__ void k(int* state, int* lock, int* table, int* out) {
  if (threadIdx.x) return;
#ifdef FIXED
  if (A(*state).load(cuda::memory_order_acquire) == 0) {
#else
  if (A(*state).load(cuda::memory_order_relaxed) == 0) {
#endif
    while (atomicCAS(lock, 0, 1) != 0) {}
    __threadfence();
    if (A(*state).load(cuda::memory_order_relaxed) == 0) { table[0] = 5; A(*state).store(1, cuda::memory_order_release); }
    __threadfence();
    atomicExch(lock, 0);
  }
  out[blockIdx.x] = table[0];
}

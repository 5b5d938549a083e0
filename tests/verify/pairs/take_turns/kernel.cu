// SPDX-License-Identifier: Apache-2.0
// Two blocks keep each other out: each says that it wants to go in, and that it is the other's turn. The bug: whose turn it is, is said
// by a store, with no fence.sc behind it.
#include <cuda/atomic>
using Word = cuda::atomic_ref<int, cuda::thread_scope_device>;
extern "C" __global__ void k(int* wants, int* turn, int* sum) {
  if (threadIdx.x != 0) return;
  int me = blockIdx.x, other = 1 - me;
  Word(wants[me]).store(1, cuda::memory_order_relaxed);
#ifdef FIXED
  Word(*turn).exchange(other, cuda::memory_order_acq_rel);
  cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_device);
#else
  Word(*turn).store(other, cuda::memory_order_release);
#endif
  while (Word(wants[other]).load(cuda::memory_order_acquire) &&
         Word(*turn).load(cuda::memory_order_acquire) == other) {
  }
  *sum += 1;
  Word(wants[me]).store(0, cuda::memory_order_release);
}

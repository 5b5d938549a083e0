// SPDX-License-Identifier: Apache-2.0
// Two blocks take numbers, and the lower one goes in first. The bug: no fence.sc between a number and the look at the other's.
#include <cuda/atomic>
using Word = cuda::atomic_ref<unsigned, cuda::thread_scope_device>;
__device__ void fence() {
#ifdef FIXED
  cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_device);
#endif
}
extern "C" __global__ void k(unsigned* chooses, unsigned* number, int* sum) {
  if (threadIdx.x != 0) return;
  int me = blockIdx.x, other = 1 - me;
  Word(chooses[me]).store(1, cuda::memory_order_relaxed);
  fence();
  unsigned own = Word(number[other]).load(cuda::memory_order_relaxed) + 1;
  Word(number[me]).store(own, cuda::memory_order_relaxed);
  fence();
  Word(chooses[me]).store(0, cuda::memory_order_release);
  fence();
  while (Word(chooses[other]).load(cuda::memory_order_acquire)) {
  }
  unsigned its;
  do {
    its = Word(number[other]).load(cuda::memory_order_acquire);
  } while (its != 0 && (its < own || (its == own && other < me)));
  *sum += 1;
  Word(number[me]).store(0, cuda::memory_order_release);
}

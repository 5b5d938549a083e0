// SPDX-License-Identifier: Apache-2.0
// Each of two blocks sets its flag and looks at the other's; who sees none goes in. The bug: a fence between them that is no fence.sc,
// so that both may see none.
#include <cuda/atomic>
using A = cuda::atomic_ref<int, cuda::thread_scope_device>;
extern "C" __global__ void k(int* flag, int* data) {
  if (threadIdx.x) return;
  int me = blockIdx.x, other = 1 - me;
  A(flag[me]).store(1, cuda::memory_order_relaxed);
#ifdef FIXED
  asm volatile("fence.sc.gpu;" ::: "memory");
#else
  asm volatile("fence.acq_rel.gpu;" ::: "memory");
#endif
  if (A(flag[other]).load(cuda::memory_order_relaxed) == 0) data[0] += 1;
}

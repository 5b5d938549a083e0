// SPDX-License-Identifier: Apache-2.0
// A task waits until the count of those before it is down to 0. The bug: one counts down before its result is stored.
#include <cuda/atomic>
using A = cuda::atomic_ref<int, cuda::thread_scope_device>;
extern "C" __global__ void k(int* deps, int* result) {
  if (threadIdx.x) return;
  int b = blockIdx.x;
  if (b == 2) { while (A(deps[2]).load(cuda::memory_order_acquire) != 0) {} result[2] = result[0] + result[1]; }
  else {
#ifdef FIXED
    result[b] = b; A(deps[2]).fetch_sub(1, cuda::memory_order_release);
#else
    A(deps[2]).fetch_sub(1, cuda::memory_order_release); result[b] = b;
#endif
  }
}

// SPDX-License-Identifier: Apache-2.0
// A flag between blocks. The bug: its scope is one block.
#include <cuda/atomic>
#ifdef FIXED
constexpr auto kScope = cuda::thread_scope_device;
#else
constexpr auto kScope = cuda::thread_scope_block;
#endif
extern "C" __global__ void pass(int* data, int* flag, int* out) {
  cuda::atomic_ref<int, kScope> f(*flag);
  if (blockIdx.x == 0) {
    data[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) f.fetch_add(1, cuda::memory_order_acq_rel);
  } else {
    if (threadIdx.x == 0)
      while (f.load(cuda::memory_order_acquire) == 0) __nanosleep(32);
    __syncthreads();
    out[threadIdx.x] = data[threadIdx.x];
  }
}

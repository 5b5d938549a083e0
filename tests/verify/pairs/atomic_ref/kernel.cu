// SPDX-License-Identifier: Apache-2.0
// One block hands an array to the next through a flag. The bug: the flag is read relaxed.
#include <cuda/atomic>
extern "C" __global__ void pass(int* data, int* flag, int* out) {
  cuda::atomic_ref<int, cuda::thread_scope_device> f(*flag);
  if (blockIdx.x == 0) {
    data[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) f.store(1, cuda::memory_order_release);
  } else {
#ifdef FIXED
    while (f.load(cuda::memory_order_acquire) == 0) {
    }
#else
    while (f.load(cuda::memory_order_relaxed) == 0) {
    }
#endif
    out[threadIdx.x] = data[threadIdx.x];
  }
}

// SPDX-License-Identifier: Apache-2.0
// Blocks count themselves in and one waits for all. The bug: they count in relaxed.
#include <cuda/atomic>
extern "C" __global__ void gather(int* data, int* count, int* out) {
  cuda::atomic_ref<int, cuda::thread_scope_device> c(*count);
  if (blockIdx.x != 0) {
    data[(blockIdx.x - 1) * 32 + threadIdx.x] = blockIdx.x;
    __syncthreads();
#ifdef FIXED
    if (threadIdx.x == 0) c.fetch_add(1, cuda::memory_order_release);
#else
    if (threadIdx.x == 0) c.fetch_add(1, cuda::memory_order_relaxed);
#endif
    return;
  }
  if (threadIdx.x == 0)
    while (c.load(cuda::memory_order_acquire) != gridDim.x - 1) {
    }
  __syncthreads();
  int sum = 0;
  for (int b = 1; b < gridDim.x; ++b) sum += data[(b - 1) * 32 + threadIdx.x];
  out[threadIdx.x] = sum;
}

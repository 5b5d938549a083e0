// SPDX-License-Identifier: Apache-2.0
// A barrier in rounds: in round r block b tells block b + 2^r. The bug: the flags are relaxed.
#include <cuda/atomic>
using A = cuda::atomic_ref<int, cuda::thread_scope_device>;
extern "C" __global__ void k(int* data, int* out, int* flags) {
  int b = blockIdx.x;
  data[b * 32 + threadIdx.x] = b;
  __syncthreads();
  if (threadIdx.x == 0) for (int r = 0; r < 2; ++r) {
#ifdef FIXED
    A(flags[r * 4 + (b + (1 << r)) % 4]).store(1, cuda::memory_order_release);
    while (A(flags[r * 4 + b]).load(cuda::memory_order_acquire) == 0) {}
#else
    A(flags[r * 4 + (b + (1 << r)) % 4]).store(1, cuda::memory_order_relaxed);
    while (A(flags[r * 4 + b]).load(cuda::memory_order_relaxed) == 0) {}
#endif
  }
  __syncthreads();
  out[b * 32 + threadIdx.x] = data[((b + 1) % 4) * 32 + threadIdx.x] + data[((b + 3) % 4) * 32 + threadIdx.x];
}

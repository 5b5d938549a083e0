// SPDX-License-Identifier: Apache-2.0
// memcpy_async on a cuda::barrier. The bug: the tile is read before the wait.
#include <cuda/barrier>
using Barrier = cuda::barrier<cuda::thread_scope_block>;
#pragma nv_diag_suppress static_var_with_dynamic_init
extern "C" __global__ void copy(const int* in, int* out, int tiles) {
  __shared__ alignas(16) int s[256];
  __shared__ Barrier bar;
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  int sum = 0;
#pragma unroll 1
  for (int i = 0; i < tiles; ++i) {
    cuda::memcpy_async(s + 4 * threadIdx.x, in + 4 * threadIdx.x + 256 * i, cuda::aligned_size_t<16>(16),
                       bar);
#ifdef FIXED
    bar.arrive_and_wait();
    sum += s[255 - threadIdx.x];
#else
    auto token = bar.arrive();
    sum += s[255 - threadIdx.x];
    bar.wait(std::move(token));
#endif
    bar.arrive_and_wait();
  }
  out[threadIdx.x] = sum;
}

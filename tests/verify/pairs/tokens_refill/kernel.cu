// SPDX-License-Identifier: Apache-2.0
// Two buffers and cuda::barrier tokens. The bug: nothing keeps thread 0 from refilling a buffer that others are yet to read.
#include <cuda/barrier>
#include <cuda/std/utility>
using Barrier = cuda::barrier<cuda::thread_scope_block>;
namespace device = cuda::device::experimental;
extern "C" __global__ void k(const int* in, int* out, int tiles) {
  __shared__ alignas(128) int buffer[2][64];
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ Barrier full[2];
  const int t = threadIdx.x;
  if (t == 0) {
    init(&full[0], 64);
    init(&full[1], 64);
    device::fence_proxy_async_shared_cta();
  }
  __syncthreads();
  Barrier::arrival_token token[2];
  const auto fill = [&](int i) {
    Barrier& here = full[i % 2];
    if (t != 0) {
      token[i % 2] = here.arrive();
      return;
    }
    device::cp_async_bulk_global_to_shared(buffer[i % 2], in + (blockIdx.x * tiles + i) * 64, 256, here);
    token[i % 2] = cuda::device::barrier_arrive_tx(here, 1, 256);
  };
  fill(0);
  int sum = 0;
#pragma unroll 1
  for (int i = 0; i < tiles; ++i) {
    if (i + 1 < tiles) fill(i + 1);
    full[i % 2].wait(cuda::std::move(token[i % 2]));
    sum += buffer[i % 2][t ^ 3];
    device::fence_proxy_async_shared_cta();
#ifdef FIXED
    __syncthreads();
#endif
  }
  out[blockIdx.x * 64 + t] = sum;
}

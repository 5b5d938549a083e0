// SPDX-License-Identifier: Apache-2.0
// Producer and consumer warps with four cuda::barriers, as the guide has it. The bug: the producer does not
// wait until a buffer is empty.
#include <cuda/barrier>
using Barrier = cuda::barrier<cuda::thread_scope_block>;
#pragma nv_diag_suppress static_var_with_dynamic_init
extern "C" __global__ void roles(const int* in, int* out, int tiles) {
  __shared__ Barrier ready[2], filled[2];
  __shared__ int s[2][32];
  if (threadIdx.x < 2) {
    init(&ready[threadIdx.x], 64);
    init(&filled[threadIdx.x], 64);
  }
  __syncthreads();
  const int lane = threadIdx.x % 32;
  if (threadIdx.x < 32) {
#pragma unroll 1
    for (int i = 0; i < tiles; ++i) {
#ifdef FIXED
      ready[i & 1].arrive_and_wait();
#else
      (void)ready[i & 1].arrive();
#endif
      s[i & 1][lane] = in[i * 32 + lane];
      (void)filled[i & 1].arrive();
    }
  } else {
    (void)ready[0].arrive();
    (void)ready[1].arrive();
    int sum = 0;
#pragma unroll 1
    for (int i = 0; i < tiles; ++i) {
      filled[i & 1].arrive_and_wait();
      sum += s[i & 1][31 - lane];
      (void)ready[i & 1].arrive();
    }
    out[lane] = sum;
  }
}

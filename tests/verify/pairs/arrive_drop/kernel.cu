// SPDX-License-Identifier: Apache-2.0
// Half of a block leaves a loop early, and with it a barrier of all. The bug: it does not say so.
#include "../ptx.cuh"
extern "C" __global__ void k(const int* in, int* out, int n) {
  __shared__ int s[128];
  __shared__ uint64_t m;
  const int t = threadIdx.x;
  if (t == 0) init(&m, 128);
  __syncthreads();
  int last = t < 64 ? n / 2 : n;
#pragma unroll 1
  for (int i = 0; i < last; ++i) {
    s[t] = in[i * 128 + t];
    arrive(&m);
    wait(&m, i & 1);
    if (t >= 64) out[i * 64 + t] = s[191 - t];
    if (t >= 64) meet(1, 64);
  }
#ifdef FIXED
  if (t < 64)
    asm volatile("{ .reg .b64 s; mbarrier.arrive_drop.shared::cta.b64 s, [%0]; }" ::"r"(shared(&m))
                 : "memory");
#endif
}

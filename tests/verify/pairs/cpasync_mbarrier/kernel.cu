// SPDX-License-Identifier: Apache-2.0
// cp.async reports to an mbarrier. The bug: a plain arrive does not wait for the copies.
#include "../ptx.cuh"
extern "C" __global__ void load(const int4* in, int4* out, int tiles) {
  __shared__ alignas(16) int4 s[2][64];
  __shared__ uint64_t full[2];
  if (threadIdx.x == 0) {
    init(&full[0], 64);
    init(&full[1], 64);
  }
  __syncthreads();
#pragma unroll 1
  for (int i = 0; i < tiles; ++i) {
    const int at = i & 1;
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared(&s[at][threadIdx.x])),
                 "l"(in + i * 64 + threadIdx.x)
                 : "memory");
#ifdef FIXED
    asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(shared(&full[at])) : "memory");
#else
    arrive(&full[at]);
#endif
    wait(&full[at], (i >> 1) & 1);
    out[i * 64 + threadIdx.x] = s[at][63 - threadIdx.x];
    __syncthreads();
  }
#ifndef FIXED
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

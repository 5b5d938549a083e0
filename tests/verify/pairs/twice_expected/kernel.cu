// SPDX-License-Identifier: Apache-2.0
// Two copies count to one phase. The bug: the arrival, and not the expectation alone, stands in front of the first of them, so
// that the phase may end before the second one is expected.
#include "../ptx.cuh"
__device__ __forceinline__ void expect_more(uint64_t* m, uint32_t bytes) {
  asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(shared(m)), "r"(bytes)
               : "memory");
}
extern "C" __global__ void k(const char* in, int* out) {
  __shared__ alignas(128) int a[64], b[64];
  __shared__ uint64_t full;
  if (threadIdx.x == 0) {
    init(&full, 1);
    fence_async();
  }
  __syncthreads();
  if (threadIdx.x == 0) {
#ifdef FIXED
    expect_more(&full, 256);
    load_bulk(a, in, 256, &full);
    expect(&full, 256);
    load_bulk(b, in + 256, 256, &full);
#else
    expect(&full, 256);
    load_bulk(a, in, 256, &full);
    expect_more(&full, 256);
    load_bulk(b, in + 256, 256, &full);
#endif
  }
  wait(&full, 0);
  out[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x];
}

// SPDX-License-Identifier: Apache-2.0
// A producer copies and arrives, the consumer says how many bytes come. The bug: no arrival stands behind that, so that the phase may end
// before, and before the bytes.
#include "../ptx.cuh"
extern "C" __global__ void k(const char* in, int* out) {
  __shared__ alignas(128) int tile[32];
  __shared__ uint64_t full;
  const int t = threadIdx.x;
  if (t == 0) {
#ifdef FIXED
    init(&full, 2);
#else
    init(&full, 1);
#endif
    fence_init();
  }
  __syncthreads();
  if (t == 0) {
    load_bulk(tile, in, 128, &full);
    arrive(&full);
  }
  if (t < 32) return;
  if (t == 32) {
#ifdef FIXED
    expect(&full, 128);
#else
    asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(shared(&full)), "r"(128)
                 : "memory");
#endif
  }
  __syncwarp();
  wait(&full, 0);
  out[t] = tile[t - 32];
}

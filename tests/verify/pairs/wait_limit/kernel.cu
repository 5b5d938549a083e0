// SPDX-License-Identifier: Apache-2.0
// A ring whose waits trap when they take too long. The bug: the producer does not wait for its readers.
#include "../ptx.cuh"
__device__ __forceinline__ void wait_or_trap(uint64_t* m, uint32_t parity) {
  constexpr long long kLongest = 2'000'000'000;
  const long long start = clock64();
  for (;;) {
    uint32_t done;
    asm volatile(
        "{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
        : "=r"(done)
        : "r"(shared(m)), "r"(parity)
        : "memory");
    if (done != 0) return;
    if (clock64() - start > kLongest) __trap();
  }
}
extern "C" __global__ void k(const char* in, int* out, int tiles) {
  __shared__ alignas(128) int stage[2][32];
  __shared__ uint64_t full[2], empty[2];
  const int t = threadIdx.x;
  if (t == 0) make_ring(full, empty, 1);
  __syncthreads();
  if (t == 0) {
#pragma unroll 1
    for (int i = 0; i < tiles; ++i) {
      const int at = i % 2;
#ifdef FIXED
      wait_or_trap(&empty[at], i / 2 % 2 ^ 1);
#else
      if (i >= 2) wait_or_trap(&full[at], i / 2 % 2 ^ 1);
#endif
      expect(&full[at], 128);
      load_bulk(stage[at], in + i * 128, 128, &full[at]);
    }
  } else if (t >= 32) {
#pragma unroll 1
    for (int i = 0; i < tiles; ++i) {
      const int at = i % 2;
      wait_or_trap(&full[at], i / 2 % 2);
      out[i * 32 + t - 32] = stage[at][t - 32];
      fence_async();
      __syncwarp();
      if (t == 32) arrive(&empty[at]);
    }
  }
}

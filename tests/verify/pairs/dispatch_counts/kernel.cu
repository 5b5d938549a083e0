// SPDX-License-Identifier: Apache-2.0
// Two blocks send tokens, and then how many, as -count-1; two others wait for that, decode it and tell their threads, who take the
// tokens. The bug: who waits does not acquire.
#include "../ptx.cuh"
extern "C" __global__ void dispatch(const int4* in, int4* received, int4* out, int* count, int tokens) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  __shared__ int known;
  if (blockIdx.x < 2) {
    const int to = blockIdx.x;
#pragma unroll 1
    for (int t = warp; t < tokens; t += 4) received[(to * tokens + t) * 32 + lane] = in[t * 32 + lane];
    meet(1, 128);
    if (threadIdx.x == 0)
      asm volatile("st.release.sys.global.s32 [%0], %1;" ::"l"(count + to), "r"(-tokens - 1) : "memory");
    return;
  }
  const int from = blockIdx.x - 2;
  if (threadIdx.x == 32) {
    int told;
    do {
#ifdef FIXED
      asm volatile("ld.acquire.sys.global.s32 %0, [%1];" : "=r"(told) : "l"(count + from) : "memory");
#else
      asm volatile("ld.relaxed.sys.global.s32 %0, [%1];" : "=r"(told) : "l"(count + from) : "memory");
#endif
    } while (told == 0);
    known = -told - 1;
  }
  meet(2, 128);
  const int all = known;
#pragma unroll 1
  for (int t = warp; t < all; t += 4) {
    if (warp != 1) out[(from * tokens + t) * 32 + lane] = received[(from * tokens + t) * 32 + lane];
  }
}

// SPDX-License-Identifier: Apache-2.0
// Two warps hand a buffer over by named barriers. The bug: the producer does not wait until the buffer is free.
#include "../ptx.cuh"
extern "C" __global__ void handover(const int* in, int* out, int tiles) {
  __shared__ int s[32];
  const int lane = threadIdx.x % 32;
  if (threadIdx.x < 32) {
#pragma unroll 1
    for (int i = 0; i < tiles; ++i) {
#ifdef FIXED
      meet(2, 64);
#endif
      s[lane] = in[i * 32 + lane];
      announce(1, 64);
    }
  } else {
#ifdef FIXED
    announce(2, 64);
#endif
#pragma unroll 1
    for (int i = 0; i < tiles; ++i) {
      meet(1, 64);
      out[i * 32 + lane] = s[31 - lane];
#ifdef FIXED
      if (i + 1 < tiles) announce(2, 64);
#endif
    }
  }
}

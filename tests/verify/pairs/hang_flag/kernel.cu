// SPDX-License-Identifier: Apache-2.0
// Blocks take turns by a flag. The bug: thread 0 resets the flag as soon as it has seen it, though the
// other block's wait may be behind that.
extern "C" __global__ void rounds(volatile int* flag, int* out, int n) {
  if (threadIdx.x != 0) return;
#pragma unroll 1
  for (int i = 0; i < n; ++i) {
    if (blockIdx.x == 0) {
      *flag = 1;
#ifdef FIXED
      while (*flag != 0) {
      }
#else
      *flag = 0;
#endif
    } else {
      while (*flag != 1) {
      }
      *flag = 0;
    }
  }
  out[blockIdx.x] = n;
}

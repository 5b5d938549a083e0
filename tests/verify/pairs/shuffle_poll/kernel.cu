// SPDX-License-Identifier: Apache-2.0
// One lane polls a flag, and the others take from it what it read. The bug: that they have it orders none of their accesses.
extern "C" __global__ void pass(int* data, unsigned* flag, int* out) {
  const int lane = threadIdx.x;
  if (blockIdx.x == 0) {
    data[lane] = lane;
    __syncwarp();
    if (lane == 0) asm volatile("st.release.gpu.global.u32 [%0], 1;" ::"l"(flag) : "memory");
    return;
  }
  unsigned there;
  do {
    there = 0;
    if (lane == 0) asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(there) : "l"(flag) : "memory");
    there = __shfl_sync(~0u, there, 0);
  } while (there == 0);
#ifdef FIXED
  __syncwarp();
#endif
  out[lane] = data[lane ^ 1];
}

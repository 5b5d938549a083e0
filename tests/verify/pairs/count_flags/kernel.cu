// SPDX-License-Identifier: Apache-2.0
// Each warp of a block counts itself in when its part is there; another block waits for the count. The bug: it waits for one warp
// fewer than there are.
extern "C" __global__ void gather(int* data, int* count, int* out) {
  const int t = threadIdx.x, lane = t % 32;
  if (blockIdx.x == 0) {
    data[t] = t;
    __syncwarp();
    if (lane == 0) asm volatile("red.release.gpu.global.add.s32 [%0], 1;" ::"l"(count) : "memory");
    return;
  }
#ifdef FIXED
  const int all = blockDim.x / 32;
#else
  const int all = blockDim.x / 32 - 1;
#endif
  if (lane == 0) {
    int seen;
    do {
      asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(seen) : "l"(count) : "memory");
    } while (seen < all);
  }
  __syncwarp();
  out[t] = data[blockDim.x - 1 - t];
}

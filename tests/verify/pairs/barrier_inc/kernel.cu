// SPDX-License-Identifier: Apache-2.0
// A barrier of the grid that resets itself by atomicInc, and a generation. The bug: no fence between the last increment and the
// generation, so that of three blocks one does not see what another did.
extern "C" __global__ void k(int* data, int* out, unsigned* count, unsigned* gen) {
  for (int round = 0; round < 2; ++round) {
    data[blockIdx.x * 32 + threadIdx.x] = round;
    __syncthreads();
    if (threadIdx.x == 0) {
      unsigned g = *(volatile unsigned*)gen;
      __threadfence();
      if (atomicInc(count, gridDim.x - 1) == gridDim.x - 1) {
#ifdef FIXED
        __threadfence();
#endif
        *(volatile unsigned*)gen = g + 1;
      } else while (*(volatile unsigned*)gen == g) {}
      __threadfence();
    }
    __syncthreads();
    out[round * 96 + blockIdx.x * 32 + threadIdx.x] = data[((blockIdx.x + 1) % 3) * 32 + threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) {
      unsigned g = *(volatile unsigned*)gen;
      __threadfence();
      if (atomicInc(count, gridDim.x - 1) == gridDim.x - 1) { __threadfence(); *(volatile unsigned*)gen = g + 1; }
      else while (*(volatile unsigned*)gen == g) {}
      __threadfence();
    }
    __syncthreads();
  }
}

// SPDX-License-Identifier: Apache-2.0
// Blocks add to a sum one after the other, in the order of their numbers. The bug: the turn is passed on in front of the barrier
// that waits for the other threads' additions.
#include "../ptx.cuh"
__device__ void await_turn(const int* turn, int mine) {
  if (threadIdx.x == 0) {
    int now;
    do asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(now) : "l"(turn) : "memory");
    while (now != mine);
  }
  __syncthreads();
}
__device__ void pass_on(int* turn) {
#ifdef FIXED
  __syncthreads();
#endif
  if (threadIdx.x == 0) asm volatile("red.release.gpu.global.add.s32 [%0], 1;" ::"l"(turn) : "memory");
#ifndef FIXED
  __syncthreads();
#endif
}
extern "C" __global__ void add(const float* in, float* sum, int* turn) {
  const float own = in[(blockIdx.y * gridDim.x + blockIdx.x) * 64 + threadIdx.x];
  await_turn(&turn[blockIdx.y], static_cast<int>(blockIdx.x));
  sum[blockIdx.y * 64 + threadIdx.x] += own;
  pass_on(&turn[blockIdx.y]);
}

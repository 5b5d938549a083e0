// SPDX-License-Identifier: Apache-2.0
// A grid barrier of one counter that only grows: the n-th time it waits for n times the blocks. The bug: the second time
// waits for no more than the first.
__device__ void meet(unsigned* count, unsigned awaited) {
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(count, 1);
    unsigned now;
    do asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(now) : "l"(count) : "memory");
    while (now < awaited);
  }
  __syncthreads();
}
extern "C" __global__ void exchange(int* data, int* out, unsigned* count) {
  const unsigned i = blockIdx.x * 64 + threadIdx.x, blocks = gridDim.x, far = blocks * 64 - 1 - i;
  data[i] = i;
  meet(count, blocks);
  const int v = data[far];
#ifdef FIXED
  meet(count, 2 * blocks);
#else
  meet(count, blocks);
#endif
  data[i] = v;
  meet(count, 3 * blocks);
  out[i] = data[far];
}

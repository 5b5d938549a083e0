// SPDX-License-Identifier: Apache-2.0
// Blocks add to a tile in turn, by a semaphore that one thread fetches for all (__syncthreads_and). The bug: no barrier before it is
// released.
extern "C" __global__ void k(const float* in, float* out, int* lock) {
  int t = threadIdx.x; int state = 0;
  while (__syncthreads_and(state != (int)blockIdx.x)) {
    if (t == 0) asm volatile("ld.global.acquire.gpu.b32 %0, [%1];" : "=r"(state) : "l"(lock) : "memory");
    else state = -1;
  }
  float acc = in[blockIdx.x * 64 + t];
  if (blockIdx.x) acc += out[t];
  out[t] = acc;
#ifdef FIXED
  __syncthreads();
#endif
  if (t == 0) asm volatile("st.global.release.gpu.b32 [%0], %1;" :: "l"(lock), "r"((int)blockIdx.x + 1) : "memory");
}

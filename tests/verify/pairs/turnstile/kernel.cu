// SPDX-License-Identifier: Apache-2.0
// Split-K: blocks add to one tile in the order of their numbers. The bug: the turn is passed on before all
// threads have stored.
extern "C" __global__ void splitk(const float* in, float* tile, int* turn) {
  const int t = threadIdx.x;
  if (t == 0) {
    int now;
    do asm volatile("ld.global.acquire.gpu.b32 %0, [%1];" : "=r"(now) : "l"(turn) : "memory");
    while (now != blockIdx.x);
  }
  __syncthreads();
  tile[t] += in[blockIdx.x * 64 + t];
#ifdef FIXED
  __syncthreads();
#endif
  if (t == 0) asm volatile("st.global.release.gpu.b32 [%0], %1;" ::"l"(turn), "r"(blockIdx.x + 1) : "memory");
}

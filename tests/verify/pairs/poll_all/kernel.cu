// SPDX-License-Identifier: Apache-2.0
// Split-K: blocks add to one tile in order; thread 0 polls whose turn it is, and tells all by __syncthreads_or. The bug: it
// passes the turn on before the other threads have stored.
extern "C" __global__ void add(int* acc, unsigned* turn) {
  const int i = threadIdx.x;
  unsigned now;
  do {
    now = blockIdx.x;
    if (i == 0) asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(now) : "l"(turn) : "memory");
  } while (__syncthreads_or(now != blockIdx.x));
  acc[i] += blockIdx.x + 1;
#ifdef FIXED
  __syncthreads();
#endif
  if (i == 0) asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(turn), "r"(blockIdx.x + 1) : "memory");
}

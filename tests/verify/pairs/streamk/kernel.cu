// SPDX-License-Identifier: Apache-2.0
// Stream-K: one block adds what another left in the workspace. The bug: only thread 0 waits, and nothing
// makes the others wait for it.
extern "C" __global__ void fixup(const float* in, float* workspace, int* flag, float* out) {
  const int t = threadIdx.x;
  float acc = in[blockIdx.x * 64 + t];
  if (blockIdx.x == 1) {
    workspace[t] = acc;
    __syncthreads();
    if (t == 0) asm volatile("red.release.gpu.global.add.s32 [%0], 1;" ::"l"(flag) : "memory");
    return;
  }
  if (t == 0) {
    int got;
    do asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(got) : "l"(flag) : "memory");
    while (got != 1);
  }
#ifdef FIXED
  __syncthreads();
#endif
  out[t] = acc + workspace[t];
}

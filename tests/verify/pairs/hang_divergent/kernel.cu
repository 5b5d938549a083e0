// SPDX-License-Identifier: Apache-2.0
// Threads without work leave the loop of a block reduction. The bug: the others meet at a barrier that
// counts all.
extern "C" __global__ void rows(const int* in, int* out, int n) {
  __shared__ int s[96];
  for (int row = threadIdx.x / 32; row < n; row += 3) {
    s[threadIdx.x] = in[row * 32 + threadIdx.x % 32];
#ifdef FIXED
    asm volatile("bar.sync %0, 32;" ::"r"(1 + threadIdx.x / 32) : "memory");
#else
    asm volatile("bar.sync 1, 96;" ::: "memory");
#endif
    out[row * 32 + threadIdx.x % 32] = s[threadIdx.x ^ 31];
#ifdef FIXED
    asm volatile("bar.sync %0, 32;" ::"r"(1 + threadIdx.x / 32) : "memory");
#else
    asm volatile("bar.sync 1, 96;" ::: "memory");
#endif
  }
}

// SPDX-License-Identifier: Apache-2.0
// Blocks put their parts, and an elected thread of each adds to a signal that a receiver waits for. The bug: no fence before that.
extern "C" __global__ void k(const int* in, int* sym, unsigned long long* sig, int* out) {
  int t = threadIdx.x;
  if (blockIdx.x < 2) {
    sym[blockIdx.x * 32 + t] = in[t];
    __syncthreads();
    if (t == 0) {
#ifdef FIXED
      asm volatile("fence.acq_rel.sys;" ::: "memory");
#endif
      asm volatile("red.relaxed.sys.global.add.u64 [%0], 1;" :: "l"(sig) : "memory");
    }
  } else {
    if (t == 0) { unsigned long long s; do { asm volatile("ld.acquire.sys.global.u64 %0, [%1];" : "=l"(s) : "l"(sig) : "memory"); } while (s < 2); }
    __syncthreads();
    out[t] = sym[t] + sym[32 + t];
  }
}

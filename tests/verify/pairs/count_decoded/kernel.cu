// SPDX-License-Identifier: Apache-2.0
// Warps send tokens and add to a counter; one waits for it and sends the count, as -count-1, which the receiver decodes. The bug: the
// addition is relaxed.
__device__ int add_rel(int* p, int v) { int r;
#ifdef FIXED
  asm volatile("atom.add.release.gpu.global.s32 %0, [%1], %2;" : "=r"(r) : "l"(p), "r"(v) : "memory");
#else
  asm volatile("atom.add.relaxed.gpu.global.s32 %0, [%1], %2;" : "=r"(r) : "l"(p), "r"(v) : "memory");
#endif
  return r; }
__device__ int ld_acq(const int* p) { int r; asm volatile("ld.acquire.sys.global.s32 %0, [%1];" : "=r"(r) : "l"(p) : "memory"); return r; }
extern "C" __global__ void k(const int* in, int* tokens, int* done, int* count, int* out) {
  int w = threadIdx.x / 32, l = threadIdx.x % 32;
  if (blockIdx.x == 0) {
    tokens[w * 32 + l] = in[w * 32 + l];
    __syncwarp();
    if (l == 0) add_rel(done, 1);
    if (w == 0 && l == 0) {
      int d; do { asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(d) : "l"(done) : "memory"); } while (d != 2);
      asm volatile("st.release.sys.global.s32 [%0], %1;" :: "l"(count), "r"(-2 - 1) : "memory");
    }
  } else {
    __shared__ int n;
    if (threadIdx.x == 0) { int c; while ((c = ld_acq(count)) == 0) {} n = -c - 1; }
    __syncthreads();
    if (w < n) out[w * 32 + l] = tokens[w * 32 + l];
  }
}

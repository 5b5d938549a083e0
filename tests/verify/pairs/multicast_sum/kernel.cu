// SPDX-License-Identifier: Apache-2.0
// Two blocks write a part each, meet, and add up by a multimem address what each device holds of the other's part. The bug: they do not
// meet.
extern "C" __global__ void sum(float* mine, float* all, int* count, const float* in) {
  const int t = threadIdx.x, other = (1 - blockIdx.x) * 64 + t;
  mine[blockIdx.x * 64 + t] = in[blockIdx.x * 64 + t];
  asm volatile("fence.proxy.alias;" ::: "memory");
#ifdef FIXED
  __syncthreads();
  if (t == 0) {
    asm volatile("red.release.gpu.global.add.s32 [%0], 1;" ::"l"(count) : "memory");
    int seen;
    do asm volatile("ld.acquire.gpu.global.b32 %0, [%1];" : "=r"(seen) : "l"(count) : "memory");
    while (seen != 2);
  }
  __syncthreads();
  asm volatile("fence.proxy.alias;" ::: "memory");
#endif
  float v;
  asm volatile("multimem.ld_reduce.relaxed.sys.global.add.f32 %0, [%1];"
               : "=f"(v)
               : "l"(all + other)
               : "memory");
  asm volatile("multimem.st.relaxed.sys.global.f32 [%0], %1;" ::"l"(all + 128 + other), "f"(v) : "memory");
}

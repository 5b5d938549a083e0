// SPDX-License-Identifier: Apache-2.0
// A slot holds an index, and whether it is full. The bug: both are written by one vector that releases: the index is written in no order
// with the flag, which releases what came before the vector alone.
extern "C" __global__ void pass(unsigned* slots, unsigned* out) {
  const unsigned thread = threadIdx.x;
  unsigned* slot = slots + 2 * thread;
  if (blockIdx.x == 0) {
#ifdef FIXED
    slot[0] = 3 * thread;
    asm volatile("st.release.gpu.global.u32 [%0], 1;" ::"l"(slot + 1) : "memory");
#else
    asm volatile("st.release.gpu.global.v2.u32 [%0], {%1, 1};" ::"l"(slot), "r"(3 * thread) : "memory");
#endif
    return;
  }
  unsigned full;
  do asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(full) : "l"(slot + 1) : "memory");
  while (full == 0);
  out[thread] = slot[0];
}

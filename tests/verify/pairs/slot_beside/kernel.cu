// SPDX-License-Identifier: Apache-2.0
// A slot holds whether it is full, and an index. The bug: both are read by one vector that acquires: the index is read in no order with the
// flag, so that it is behind nothing that the flag acquires.
extern "C" __global__ void pass(unsigned* slots, unsigned* out) {
  const unsigned thread = threadIdx.x;
  unsigned* slot = slots + 2 * thread;
  if (blockIdx.x == 0) {
    slot[1] = 3 * thread;
    asm volatile("st.release.gpu.global.u32 [%0], 1;" ::"l"(slot) : "memory");
    return;
  }
  unsigned full, index;
#ifdef FIXED
  do asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(full) : "l"(slot) : "memory");
  while (full == 0);
  index = slot[1];
#else
  do asm volatile("ld.acquire.gpu.global.v2.u32 {%0, %1}, [%2];" : "=r"(full), "=r"(index) : "l"(slot) : "memory");
  while (full == 0);
#endif
  out[thread] = index;
}

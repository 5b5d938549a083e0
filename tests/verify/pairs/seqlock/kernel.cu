// SPDX-License-Identifier: Apache-2.0
// A number that is odd while two words are written: who finds it odd, or another one behind what was read, reads again. The bug: the
// words are read by plain loads, which race with the writes, whatever is done with what they gave.
__device__ unsigned load(const unsigned* from) {
#ifdef FIXED
  unsigned value;
  asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(from) : "memory");
  return value;
#else
  return *from;
#endif
}

extern "C" __global__ void seqlock(unsigned* sequence, unsigned* data, unsigned* out) {
  if (blockIdx.x == 0) {
    asm volatile("st.relaxed.gpu.global.u32 [%0], 1;" ::"l"(sequence) : "memory");
    __threadfence();
    for (int i = 0; i < 2; ++i) asm volatile("st.relaxed.gpu.global.u32 [%0], 7;" ::"l"(data + i) : "memory");
    asm volatile("st.release.gpu.global.u32 [%0], 2;" ::"l"(sequence) : "memory");
    return;
  }
  unsigned before, behind = 0, first = 0, second = 0;
  do {
    do asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(before) : "l"(sequence) : "memory");
    while (before & 1);
    first = load(data);
    second = load(data + 1);
    __threadfence();
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(behind) : "l"(sequence) : "memory");
  } while (before != behind);
  out[0] = first;
  out[1] = second;
}

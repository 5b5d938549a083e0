// SPDX-License-Identifier: Apache-2.0
// Thread 0 opens a slot, thread 32 takes it if it is open, and no instruction looks at what its swap returns. Thread 64 waits for
// the slot. The bug: it waits until the slot is open, which it never sees if the slot is taken first.
#ifdef FIXED
#define WAITS(state) (state) == 0
#else
#define WAITS(state) (state) != 1
#endif
extern "C" __global__ void slot(unsigned* state) {
  if (threadIdx.x == 0) asm volatile("st.relaxed.cta.u32 [%0], 1;" ::"l"(state) : "memory");
  if (threadIdx.x == 32) atomicCAS_block(state, 1, 2);
  if (threadIdx.x == 64) {
    unsigned now;
    do {
      asm volatile("ld.relaxed.cta.u32 %0, [%1];" : "=r"(now) : "l"(state) : "memory");
    } while (WAITS(now));
  }
}

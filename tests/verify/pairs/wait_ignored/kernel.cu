// SPDX-License-Identifier: Apache-2.0
// Thread 0 fills two slots, and arrives at the mbarrier object of each. Thread 32 waits for both in one piece of assembly, and reads the
// second slot. The bug: the second wait is tried once, and its answer, in the predicate of the loop before it, is looked at by no instruction.
#include "../ptx.cuh"
#ifdef FIXED
#define SECOND "SECOND: mbarrier.try_wait.parity.shared::cta.b64 done, [%1], 0; @!done bra SECOND;\n"
#else
#define SECOND "mbarrier.try_wait.parity.shared::cta.b64 done, [%1], 0;\n"
#endif
extern "C" __global__ void ring(int* out) {
  __shared__ uint64_t full[2];
  __shared__ int slot[2];
  if (threadIdx.x == 0) {
    for (int i = 0; i < 2; ++i) init(&full[i], 1);
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int i = 0; i < 2; ++i) {
      slot[i] = i;
      asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared(&full[i])) : "memory");
    }
  }
  if (threadIdx.x == 32) {
    asm volatile("{ .reg .pred done;\n"
                 "FIRST: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], 0; @!done bra FIRST;\n" SECOND "}" ::"r"(shared(&full[0])),
                 "r"(shared(&full[1]))
                 : "memory");
    *out = slot[1];
  }
}

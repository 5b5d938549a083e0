// SPDX-License-Identifier: Apache-2.0
// A counter of the whole grid. The bug: all but one thread of a block add to it at the scope of their block.
extern "C" __global__ void count(unsigned* counter) {
#ifdef FIXED
  atomicAdd(counter, 1);
#else
  if (threadIdx.x == 0)
    atomicAdd(counter, 1);
  else
    atomicAdd_block(counter, 1);
#endif
}

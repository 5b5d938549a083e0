// SPDX-License-Identifier: Apache-2.0
// What the first block makes, all use: 0 is not begun, 1 under way, 2 done. The bug: it is told before it is made known.
extern "C" __global__ void use(unsigned* state, int* made, int* out) {
  if (threadIdx.x != 0) return;
  if (atomicCAS(state, 0u, 1u) == 0u) {
    *made = 42;
#ifdef FIXED
    __threadfence();
#endif
    atomicExch(state, 2u);
  } else {
    while (*(volatile unsigned*)state != 2u) {
    }
    __threadfence();
  }
  out[blockIdx.x] = *made;
}

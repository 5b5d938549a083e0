// SPDX-License-Identifier: Apache-2.0
// A hash table: who swaps its key into a slot stores the value. The bug: a slot that is found free is not swapped, but stored to.
extern "C" __global__ void k(int* keys, int* values) {
  int key = blockIdx.x * 4 + 1 + (threadIdx.x != 0 ? 1000 : 0);
  if (threadIdx.x) return;
  int slot = key % 4;
  for (;;) {
#ifdef FIXED
    int old = atomicCAS(&keys[slot], 0, key);
    if (old == 0 || old == key) break;
#else
    int old = ((volatile int*)keys)[slot];
    if (old == 0) { ((volatile int*)keys)[slot] = key; break; }
#endif
    slot = (slot + 1) % 4;
  }
  values[slot] = key * 10;
}

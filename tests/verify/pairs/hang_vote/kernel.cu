// SPDX-License-Identifier: Apache-2.0
// Lanes poll the flags of producers, until all hold the number of the round. The bug: a producer sets its flag once, and
// nobody the next time.
extern "C" __global__ void rounds(volatile int* flags, int* out, int rounds) {
  const int lane = threadIdx.x, producers = gridDim.x - 1;
  if (blockIdx.x != 0) {
#ifdef FIXED
    for (int round = 1; round <= rounds; ++round)
      if (lane == 0) flags[blockIdx.x - 1] = round;
#else
    if (lane == 0) flags[blockIdx.x - 1] = 1;
#endif
    return;
  }
  for (int round = 1; round <= rounds; ++round) {
    while (__any_sync(~0u, lane < producers && flags[lane] < round)) {
    }
  }
  out[lane] = rounds;
}

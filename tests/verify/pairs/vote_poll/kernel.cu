// SPDX-License-Identifier: Apache-2.0
// Each lane polls the flag of one producer, and the warp goes on when all are there. The bug: a producer's lanes are not together
// when one of them sets its flag.
extern "C" __global__ void gather(int* data, volatile int* flags, int* out) {
  const int lane = threadIdx.x, producers = gridDim.x - 1;
  if (blockIdx.x != 0) {
    data[(blockIdx.x - 1) * 32 + lane] = lane;
#ifdef FIXED
    __syncwarp();
#endif
    if (lane == 0) {
      __threadfence();
      flags[blockIdx.x - 1] = 1;
    }
    return;
  }
  int there;
  do {
    there = lane < producers ? flags[lane] : 1;
  } while (!__all_sync(~0u, there));
  __threadfence();
  __syncwarp();
  int sum = 0;
  for (int i = 0; i < producers; ++i) sum += data[i * 32 + lane];
  out[lane] = sum;
}

// SPDX-License-Identifier: Apache-2.0
// Warps wait for jobs that the first one names in shared memory, and run a loader and a consumer. The bug: one lane gives a stage
// back before the others have read it.
#include "../ptx.cuh"
extern "C" __global__ void k(const char* in, int* out, int tiles) {
  __shared__ alignas(128) int stage[3][32];
  __shared__ uint64_t full[3], empty[3];
  __shared__ volatile unsigned char job[4];
  const int t = threadIdx.x, w = t / 32;
  if (w == 0) {
    if (t == 0) {
      for (int i = 0; i < 3; ++i) {
        init(&full[i], 1);
        init(&empty[i], 1);
      }
      fence_init();
    }
    __syncwarp();
    if (t == 0) {
      job[1] = 0;
      job[2] = 1;
    }
    meet(1, 96);
    meet(1, 96);
    if (t == 0) {
      job[1] = 2;
      job[2] = 2;
    }
    meet(1, 96);
    return;
  }
  while (true) {
    meet(1, 96);
    switch (job[w]) {
      case 0:
        if (elected())
#pragma unroll 1
          for (int i = 0; i < tiles; ++i) {
            wait(&empty[i % 3], i / 3 % 2 ^ 1);
            expect(&full[i % 3], 128);
            load_bulk(stage[i % 3], in + i * 128, 128, &full[i % 3]);
          }
        __syncwarp();
        break;
      case 1:
#pragma unroll 1
        for (int i = 0; i < tiles; ++i) {
          wait(&full[i % 3], i / 3 % 2);
          const int v = stage[i % 3][31 - t % 32];
          fence_async();
#ifdef FIXED
          __syncwarp();
#endif
          if (t % 32 == 0) arrive(&empty[i % 3]);
          out[i * 32 + t % 32] = v;
        }
        break;
      default:
        return;
    }
    meet(1, 96);
  }
}

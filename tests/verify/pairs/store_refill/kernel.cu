// SPDX-License-Identifier: Apache-2.0
// A persistent block stores its result from the buffer into which the producer loads the next tile. The bug: that does not wait
// for the reads of the store.
#include "../ptx.cuh"
extern "C" __global__ void k(const char* in, char* out, int tiles) {
  __shared__ alignas(128) int q[128];
  __shared__ uint64_t full;
  const int t = threadIdx.x;
  if (t == 0) {
    init(&full, 1);
    fence_init();
  }
  __syncthreads();
  if (t >= 128) {
#pragma unroll 1
    for (int i = 0; i < tiles; ++i) {
      if (i > 0) meet(3, 160);
      if (t == 128) {
        expect(&full, 512);
        load_bulk(q, in + i * 512, 512, &full);
      }
    }
    return;
  }
#pragma unroll 1
  for (int i = 0; i < tiles; ++i) {
    wait(&full, i & 1);
    const int v = q[127 - t] * 3;
    meet(2, 128);
    q[t] = v;
    fence_async();
    meet(2, 128);
    if (t < 32) {
      if (elected()) {
        store_bulk(out + i * 512, q, 512);
        commit_bulk();
#ifdef FIXED
        wait_bulk_read<0>();
#endif
      }
      __syncwarp();
    }
    if (i + 1 < tiles) announce(3, 160);
  }
  if (t < 32) wait_bulk_read<0>();
}

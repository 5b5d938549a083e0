// SPDX-License-Identifier: Apache-2.0
// Two groups of warps read the same tiles, and store their sums by way of the tiles' memory. The bug: each waits for its own
// warps alone before it overwrites what the other reads.
#include "../ptx.cuh"
extern "C" __global__ void k(const int* in, int* out, int tiles) {
  __shared__ alignas(128) int memory[2][64];
  __shared__ uint64_t full[2], empty[2];
  if (threadIdx.x == 0) make_ring(full, empty, 2);
  __syncthreads();
  const int group = threadIdx.x / 64, t = threadIdx.x % 64;
  if (group == 2) {
#pragma unroll 1
    for (int i = 0; t == 0 && i < tiles; ++i) {
      wait(&empty[i % 2], i / 2 % 2 ^ 1);
      expect(&full[i % 2], 256);
      load_bulk(memory[i % 2], in + i * 64, 256, &full[i % 2]);
    }
    return;
  }
  int sum = 0;
#pragma unroll 1
  for (int i = 0; i < tiles; ++i) {
    wait(&full[i % 2], i / 2 % 2);
    sum += memory[i % 2][t ^ (group + 1)];
    fence_async();
    meet(1 + group, 64);
    if (t == 0) arrive(&empty[i % 2]);
  }
#ifdef FIXED
  meet(3, 128);
#endif
  memory[group][t] = sum;
  fence_async();
  meet(1 + group, 64);
  if (t == 0) {
    store_bulk(out + group * 64, memory[group], 256);
    commit_bulk();
    wait_bulk_read<0>();
  }
}

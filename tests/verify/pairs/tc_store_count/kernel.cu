// SPDX-License-Identifier: Apache-2.0
// A product of tiles by tcgen05, whose four last warps bring halves of accumulators to two buffers in turn and store those in bulk.
// The bug: they wait until all but two of these stores are over with their buffer, not all but one.
#include "../tcgen05.cuh"
struct alignas(128) Buffers {
  uint8_t a[2][kBytesA], b[2][kBytesB];
  uint32_t c[2][128];
  uint64_t full[2], empty[2], done[2], freed[2];
  uint32_t at;
};
__device__ __forceinline__ void load_tiles(Buffers& s, const uint8_t* a, const uint8_t* b, int tiles) {
#pragma unroll 1
  for (int i = 0; i < tiles; ++i) {
    const int stage = i & 1;
    wait(&s.empty[stage], (i >> 1 & 1) ^ 1);
    expect(&s.full[stage], kBytesA + kBytesB);
    load_bulk(s.a[stage], a + i * kBytesA, kBytesA, &s.full[stage]);
    load_bulk(s.b[stage], b + i * kBytesB, kBytesB, &s.full[stage]);
  }
}
__device__ __forceinline__ void multiply_tiles(Buffers& s, int tiles) {
#pragma unroll 1
  for (int i = 0; i < tiles; ++i) {
    const int stage = i & 1;
    wait(&s.freed[stage], (i >> 1 & 1) ^ 1);
    wait(&s.full[stage], i >> 1 & 1);
    after_sync();
    multiply(s.at + stage * kWidth, matrix(s.a[stage]), matrix(s.b[stage]), 0);
    commit(&s.empty[stage]);
    commit(&s.done[stage]);
  }
}
__device__ __forceinline__ void store_tiles(Buffers& s, uint32_t* out, int tiles) {
  const int t = threadIdx.x;
#pragma unroll 1
  for (int i = 0; i < tiles; ++i) {
    const int stage = i & 1;
    wait(&s.done[stage], i >> 1 & 1);
    after_sync();
#pragma unroll 1
    for (int half = 0; half < 2; ++half) {
      const uint32_t v = load_tensor(s.at + stage * kWidth + half * 4 + (t / 32 << 21));
      wait_loads();
      if (half == 1) {
        before_sync();
        arrive(&s.freed[stage]);
      }
#ifdef FIXED
      if (t == 0) wait_bulk_read<1>();
#else
      if (t == 0) wait_bulk_read<2>();
#endif
      meet(1, 128);
      s.c[half][t] = v;
      fence_async();
      meet(1, 128);
      if (t == 0) {
        store_bulk(out + (i * 2 + half) * 128, s.c[half], sizeof s.c[half]);
        commit_bulk();
      }
    }
  }
  if (t == 0) wait_bulk<0>();
}
extern "C" __global__ void __launch_bounds__(192)
    product(const uint8_t* a, const uint8_t* b, uint32_t* out, int tiles) {
  __shared__ Buffers s;
  const int warp = threadIdx.x / 32;
  if (threadIdx.x == 0) make_stages(s.full, s.empty, s.done, s.freed, 128);
  if (warp == 5) allocate(&s.at, kColumns);
  before_sync();
  __syncthreads();
  after_sync();
  if (warp == 4) {
    if (elected()) load_tiles(s, a, b, tiles);
  } else if (warp == 5) {
    if (elected()) multiply_tiles(s, tiles);
  } else {
    store_tiles(s, out, tiles);
  }
  before_sync();
  __syncthreads();
  after_sync();
  if (warp == 5) deallocate(s.at, kColumns);
}

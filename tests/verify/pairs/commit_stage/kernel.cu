// SPDX-License-Identifier: Apache-2.0
// A product of three stages. The bug: each commit gives back the stage behind its own, which may be given back twice before the
// producer looks.
#include "../tcgen05.cuh"
constexpr int kStages = 3;
extern "C" __global__ void product(const char* in, uint32_t* out, int tiles) {
  __shared__ alignas(128) char a[kStages][kBytesA], b[kStages][kBytesB];
  __shared__ uint64_t full[kStages], empty[kStages], done;
  __shared__ uint32_t address;
  const int t = threadIdx.x, warp = t / 32;
  if (warp == 0) allocate(&address, kWidth);
  if (t == 0) {
    for (int i = 0; i < kStages; ++i) {
      init(&full[i], 1);
      init(&empty[i], 1);
    }
    init(&done, 1);
    fence_init();
  }
  before_sync();
  __syncthreads();
  after_sync();
  const uint32_t d = address;
  if (t == 128) {
#pragma unroll 1
    for (int i = 0; i < tiles; ++i) {
      const int at = i % kStages;
      wait(&empty[at], i / kStages % 2 ^ 1);
      expect(&full[at], kBytesA + kBytesB);
      load_bulk(a[at], in + i * kBytesA, kBytesA, &full[at]);
      load_bulk(b[at], in + i * kBytesB, kBytesB, &full[at]);
    }
  } else if (warp == 3 && elected()) {
#pragma unroll 1
    for (int i = 0; i < tiles; ++i) {
      const int at = i % kStages;
      wait(&full[at], i / kStages % 2);
      multiply(d, matrix(a[at]), matrix(b[at]), i > 0);
#ifdef FIXED
      commit(&empty[at]);
#else
      commit(&empty[(at + 1) % kStages]);
#endif
      if (i == tiles - 1) commit(&done);
    }
  }
  __syncwarp();
  if (t < 128) {
    wait(&done, 0);
    after_sync();
    out[t] = load_tensor(d + (warp << 21));
    wait_loads();
    before_sync();
  }
  __syncthreads();
  after_sync();
  if (warp == 0) deallocate(d, kWidth);
}

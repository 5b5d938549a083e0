// SPDX-License-Identifier: Apache-2.0
// All lanes of a warp wait for operands and for a free accumulator; one that is elected multiplies and commits. The bug: who
// reads an accumulator frees it before tcgen05.wait::ld.
#include "../tcgen05.cuh"
extern "C" __global__ void product(const char* in, uint32_t* out, int tiles) {
  __shared__ alignas(128) char a[2][kBytesA], b[2][kBytesB];
  __shared__ uint64_t full[2], empty[2], done[2], free_[2];
  __shared__ uint32_t address;
  const int warp = threadIdx.x / 32;
  if (warp == 0) allocate(&address, kColumns);
  if (threadIdx.x == 0) make_stages(full, empty, done, free_, 4);
  before_sync();
  __syncthreads();
  after_sync();
  const uint32_t d = address;
  if (warp == 4) {
#pragma unroll 1
    for (int i = 0; i < tiles; ++i) {
      const int at = i % 2;
      wait(&empty[at], i / 2 % 2 ^ 1);
      if (elected()) {
        expect(&full[at], kBytesA + kBytesB);
        load_bulk(a[at], in + i * kBytesA, kBytesA, &full[at]);
        load_bulk(b[at], in + i * kBytesB, kBytesB, &full[at]);
      }
      __syncwarp();
    }
  } else if (warp == 5) {
#pragma unroll 1
    for (int i = 0; i < tiles; ++i) {
      const int at = i % 2, phase = i / 2 % 2;
      wait(&free_[at], phase ^ 1);
      wait(&full[at], phase);
      after_sync();
      if (elected()) {
        multiply(d + at * kWidth, matrix(a[at]), matrix(b[at]), 0);
        commit(&empty[at]);
        commit(&done[at]);
      }
      __syncwarp();
    }
  } else {
#pragma unroll 1
    for (int i = 0; i < tiles; ++i) {
      const int at = i % 2;
      wait(&done[at], i / 2 % 2);
      after_sync();
      const uint32_t value = load_tensor(d + at * kWidth + (warp << 21));
#ifdef FIXED
      wait_loads();
#endif
      before_sync();
      __syncwarp();
      if (elected()) arrive(&free_[at]);
#ifndef FIXED
      wait_loads();
#endif
      out[i * 128 + threadIdx.x] = value;
    }
  }
  before_sync();
  __syncthreads();
  after_sync();
  if (warp == 0) deallocate(d, kColumns);
}

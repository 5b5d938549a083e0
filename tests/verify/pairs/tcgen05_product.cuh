// SPDX-License-Identifier: Apache-2.0
// The kernel of the pairs that are named tc_*.
#pragma once
#include "tcgen05.cuh"

extern "C" __global__ void product(const char* in, uint32_t* out, int tiles) {
  __shared__ alignas(128) char a[2][kBytesA], b[2][kBytesB];
  __shared__ uint64_t full[2], empty[2], done[2], free_[2];
  __shared__ uint32_t address;
  const int warp = threadIdx.x / 32;
  if (warp == 0) allocate(&address, kColumns);
  if (threadIdx.x == 0) make_stages(full, empty, done, free_, 128);
  before_sync();
  __syncthreads();
  after_sync();
  const uint32_t d = address;
  if (warp == 4) {
    if (elected()) {
#pragma unroll 1
      for (int i = 0; i < tiles; ++i) {
        const int at = i % 2;
#ifdef MISSING_EMPTY
        wait(&empty[at], 1);
#else
        wait(&empty[at], i / 2 % 2 ^ 1);
#endif
        expect(&full[at], kBytesA + kBytesB);
        load_bulk(a[at], in + i * kBytesA, kBytesA, &full[at]);
        load_bulk(b[at], in + i * kBytesB, kBytesB, &full[at]);
      }
    }
  } else if (warp == 5) {
    if (elected()) {
#pragma unroll 1
      for (int i = 0; i < tiles; ++i) {
        const int at = i % 2, phase = i / 2 % 2;
#ifdef STALE_PARITY
        wait(&free_[at], 1);
#else
        wait(&free_[at], phase ^ 1);
#endif
#ifndef MISSING_AFTER_FREE
        after_sync();
#endif
        wait(&full[at], phase);
        multiply(d + at * kWidth, matrix(a[at]), matrix(b[at]), 0);
        commit(&empty[at]);
#ifdef MISSING_COMMIT
        arrive(&done[at]);
#else
        commit(&done[at]);
#endif
      }
    }
  } else {
#pragma unroll 1
    for (int i = 0; i < tiles; ++i) {
      const int at = i % 2, phase = i / 2 % 2;
      wait(&done[at], phase);
#ifndef MISSING_AFTER_DONE
      after_sync();
#endif
      const uint32_t value = load_tensor(d + at * kWidth + (warp << 21));
#ifndef MISSING_WAIT_LOADS
      wait_loads();
#endif
      before_sync();
#ifdef FREES_OTHER
      arrive(&free_[at ^ 1]);
#else
      arrive(&free_[at]);
#endif
      out[i * 128 + threadIdx.x] = value;
#ifdef MISSING_WAIT_LOADS
      wait_loads();
#endif
    }
  }
#ifndef MISSING_BARRIER
  before_sync();
  __syncthreads();
  after_sync();
#endif
  if (warp == 0) deallocate(d, kColumns);
}

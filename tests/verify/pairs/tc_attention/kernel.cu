// SPDX-License-Identifier: Apache-2.0
// Attention in tensor memory: probabilities lie where the next ones go. The bug: the product of scores of the next tile, whose commit
// tells that they may be overwritten, is issued before the product that reads them.
#include "../tcgen05.cuh"
extern "C" __global__ void attention(const char* in, uint32_t* out, int tiles) {
  __shared__ alignas(128) char q[kBytesA], k[2][kBytesB], v[2][kBytesB];
  __shared__ uint64_t full[2], empty[2], s_done, p_ready, o_done;
  __shared__ uint32_t address;
  const int warp = threadIdx.x / 32;
  if (warp == 0) allocate(&address, 256);
  if (threadIdx.x == 0) {
    for (int i = 0; i < 2; ++i) {
      init(&full[i], 1);
      init(&empty[i], 1);
    }
    init(&s_done, 1);
    init(&p_ready, 128);
    init(&o_done, 1);
    fence_init();
  }
  before_sync();
  __syncthreads();
  after_sync();
  const uint32_t base = address, o = base, s = base + 64, p = base + 128;
  if (warp == 4) {
    if (elected()) {
#pragma unroll 1
      for (int i = 0; i < tiles; ++i) {
        const int at = i % 2;
        wait(&empty[at], i / 2 % 2 ^ 1);
        expect(&full[at], 2 * kBytesB + (i == 0 ? kBytesA : 0));
        if (i == 0) load_bulk(q, in, kBytesA, &full[at]);
        load_bulk(k[at], in + 8192 + i * kBytesB, kBytesB, &full[at]);
        load_bulk(v[at], in + 16384 + i * kBytesB, kBytesB, &full[at]);
      }
    }
  } else if (warp == 5) {
    if (elected()) {
#pragma unroll 1
      for (int i = 0; i < tiles; ++i) {
        const int at = i % 2;
        if (i == 0) {
          wait(&full[0], 0);
          multiply(s, matrix(q), matrix(k[0]), 0);
          commit(&s_done);
        }
        wait(&p_ready, i & 1);
        after_sync();
#ifdef FIXED
        multiply_ts(o, p, matrix(v[at]), i > 0);
        commit(&empty[at]);
#endif
        if (i + 1 < tiles) {
          wait(&full[at ^ 1], (i + 1) / 2 % 2);
          multiply(s, matrix(q), matrix(k[at ^ 1]), 0);
          commit(&s_done);
        }
#ifndef FIXED
        multiply_ts(o, p, matrix(v[at]), i > 0);
        commit(&empty[at]);
#endif
        if (i == tiles - 1) commit(&o_done);
      }
    }
  } else {
#pragma unroll 1
    for (int i = 0; i < tiles; ++i) {
      wait(&s_done, i & 1);
      after_sync();
      const uint32_t value = load_tensor(s + (warp << 21));
      wait_loads();
      store_tensor(p + (warp << 21), value * 3);
      wait_stores();
      before_sync();
      arrive(&p_ready);
    }
    wait(&o_done, 0);
    after_sync();
    out[threadIdx.x] = load_tensor(o + (warp << 21));
    wait_loads();
  }
  before_sync();
  __syncthreads();
  after_sync();
  if (warp == 0) deallocate(base, 256);
}

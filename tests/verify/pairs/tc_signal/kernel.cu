// SPDX-License-Identifier: Apache-2.0
// Attention in tensor memory: four warps store probabilities that the next product multiplies. The bug: no
// tcgen05.fence::before_thread_sync stands before a relaxed arrival.
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
        wait(&full[at], i / 2 % 2);
        multiply(s, matrix(q), matrix(k[at]), 0);
        commit(&s_done);
        wait(&p_ready, i & 1);
        after_sync();
        multiply_ts(o, p, matrix(v[at]), i > 0);
        commit(&empty[at]);
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
#ifdef FIXED
      before_sync();
#endif
      asm volatile("mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _, [%0];" ::"r"(shared(&p_ready))
                   : "memory");
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

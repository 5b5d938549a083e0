// SPDX-License-Identifier: Apache-2.0
// A product of two CTAs, two stages. The bug: the first gives back the stage to itself and not to the other.
#include "../tcgen05_pair.cuh"
extern "C" __global__ void __cluster_dims__(2, 1, 1) product(const char* in, uint32_t* out, int tiles) {
  __shared__ alignas(128) char a[2][kBytesA], b[2][kBytesB];
  __shared__ uint64_t full[2], both[2], empty[2], done;
  __shared__ uint32_t address;
  const int warp = threadIdx.x / 32;
  const uint32_t rank = rank_in_cluster();
  if (warp == 0) {
    allocate_pair(&address, kColumns);
  }
  if (threadIdx.x == 0) {
    for (int i = 0; i < 2; ++i) {
      init(&full[i], 1);
      init(&both[i], 2);
      init(&empty[i], 1);
    }
    init(&done, 1);
    fence_init();
  }
  before_sync();
  meet_pair();
  after_sync();
  if (warp == 1 && elected()) {
#pragma unroll 1
    for (int i = 0; i < tiles; ++i) {
      const int at = i % 2;
      wait(&empty[at], i / 2 % 2 ^ 1);
      expect(&full[at], kBytesA + kBytesB);
      load_bulk(a[at], in + (2 * i + rank) * kBytesA, kBytesA, &full[at]);
      load_bulk(b[at], in + (2 * i + rank) * kBytesB, kBytesB, &full[at]);
    }
  } else if (warp == 2 && elected()) {
#pragma unroll 1
    for (int i = 0; i < tiles; ++i) {
      const int at = i % 2;
      wait(&full[at], i / 2 % 2);
      asm volatile(
          "{ .reg .b32 far; mapa.shared::cluster.u32 far, %0, 0;\n "
          "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [far]; }" ::"r"(shared(&both[at]))
          : "memory");
      if (rank == 0) {
        wait_far(&both[at], i / 2 % 2);
        after_sync();
        asm volatile(
            "{ .reg .pred p; setp.ne.u32 p, %4, 0;\n tcgen05.mma.cta_group::2.kind::f16 [%0], %1, %2, %3, p; "
            "}" ::"r"(address),
            "l"(matrix(a[at])), "l"(matrix(b[at])), "r"(kPairShape), "r"(i)
            : "memory");
#ifdef FIXED
        const uint16_t mask = 3;
#else
        const uint16_t mask = 1;
#endif
        asm volatile(
            "tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%0], "
            "%1;" ::"r"(shared(&empty[at])),
            "h"(mask)
            : "memory");
        if (i == tiles - 1)
          asm volatile(
              "tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 "
              "[%0], %1;" ::"r"(shared(&done)),
              "h"(uint16_t{3})
              : "memory");
      }
    }
  }
  __syncwarp();
  wait(&done, 0);
  after_sync();
  out[rank * 128 + threadIdx.x] = load_tensor(address + (warp << 21));
  wait_loads();
  before_sync();
  meet_pair();
  after_sync();
  if (warp == 0)
    asm volatile("tcgen05.dealloc.cta_group::2.sync.aligned.b32 %0, %1;" ::"r"(address), "r"(kColumns)
                 : "memory");
}

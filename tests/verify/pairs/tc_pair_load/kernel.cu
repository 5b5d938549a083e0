// SPDX-License-Identifier: Apache-2.0
// A product of two CTAs, .cta_group::2, whose loads all count to the object of the first: its address is that of a CTA's own
// with the lowest bit of the rank cleared. The bug: the first expects the bytes of its own half alone.
#include "../tcgen05_pair.cuh"
struct alignas(64) Map {
  char bytes[128];
};
__device__ __forceinline__ void load_pair(void* to, const Map* map, int x, int y, uint64_t* m) {
  asm volatile(
      "cp.async.bulk.tensor.2d.cta_group::2.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], "
      "[%1, {%2, %3}], [%4];" ::"r"(shared(to)),
      "l"(map), "r"(x), "r"(y), "r"(shared(m) & 0xFEFFFFFFu)
      : "memory");
}
extern "C" __global__ void __cluster_dims__(2, 1, 1)
    product(const __grid_constant__ Map ma, const __grid_constant__ Map mb, uint32_t* out, int tiles) {
  __shared__ alignas(1024) char a[2][kBytesA], b[2][kBytesB];
  __shared__ uint64_t full[2], empty[2], done;
  __shared__ uint32_t address;
  const int warp = threadIdx.x / 32;
  const uint32_t rank = rank_in_cluster();
  if (warp == 0) {
    allocate_pair(&address, kColumns);
  }
  if (threadIdx.x == 0) {
    for (int i = 0; i < 2; ++i) {
      init(&full[i], 1);
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
#ifdef FIXED
      if (rank == 0) expect(&full[at], 2 * (kBytesA + kBytesB));
#else
      if (rank == 0) expect(&full[at], kBytesA + kBytesB);
#endif
      load_pair(a[at], &ma, i * 16, rank * 128, &full[at]);
      load_pair(b[at], &mb, i * 16, rank * 64, &full[at]);
    }
  } else if (warp == 2 && rank == 0 && elected()) {
#pragma unroll 1
    for (int i = 0; i < tiles; ++i) {
      const int at = i % 2;
      wait_far(&full[at], i / 2 % 2);
      after_sync();
      asm volatile(
          "{ .reg .pred p; setp.ne.u32 p, %4, 0;\n tcgen05.mma.cta_group::2.kind::f16 [%0], %1, %2, %3, p; "
          "}" ::"r"(address),
          "l"(matrix(a[at])), "l"(matrix(b[at])), "r"(kPairShape), "r"(i)
          : "memory");
      asm volatile(
          "tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%0], "
          "%1;" ::"r"(shared(&empty[at])),
          "h"(uint16_t{3})
          : "memory");
      if (i == tiles - 1)
        asm volatile(
            "tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%0], "
            "%1;" ::"r"(shared(&done)),
            "h"(uint16_t{3})
            : "memory");
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

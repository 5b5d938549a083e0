// SPDX-License-Identifier: Apache-2.0
// A product of two CTAs, .cta_group::2: each loads its half, the first multiplies, and a multicast commit tells both. The
// bug: the second tells the first that its half is there before it has waited for it.
#include "../tcgen05_pair.cuh"
extern "C" __global__ void __cluster_dims__(2, 1, 1) product(const char* in, uint32_t* out) {
  __shared__ alignas(128) char a[kBytesA], b[kBytesB];
  __shared__ uint64_t full, both, done;
  __shared__ uint32_t address;
  const int warp = threadIdx.x / 32;
  const uint32_t rank = rank_in_cluster();
  if (warp == 0) {
    allocate_pair(&address, kColumns);
  }
  if (threadIdx.x == 0) {
    init(&full, 1);
    init(&both, 2);
    init(&done, 1);
    fence_init();
  }
  before_sync();
  __syncthreads();
  meet_pair();
  after_sync();
  if (warp == 1 && elected()) {
    expect(&full, kBytesA + kBytesB);
    load_bulk(a, in + rank * kBytesA, kBytesA, &full);
    load_bulk(b, in + rank * kBytesB, kBytesB, &full);
#ifdef FIXED
    wait(&full, 0);
#endif
    asm volatile("{ .reg .b32 far; mapa.shared::cluster.u32 far, %0, 0;\n"
                 " mbarrier.arrive.release.cluster.shared::cluster.b64 _, [far]; }" ::"r"(shared(&both))
                 : "memory");
    if (rank == 0) {
      asm volatile("{\n .reg .pred p;\nAGAIN:\n mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%0], 0;\n"
                   " @!p bra AGAIN;\n}" ::"r"(shared(&both))
                   : "memory");
      after_sync();
      asm volatile("{ .reg .pred p; setp.ne.u32 p, 0, 0;\n"
                   " tcgen05.mma.cta_group::2.kind::f16 [%0], %1, %2, %3, p; }" ::"r"(address),
                   "l"(matrix(a)), "l"(matrix(b)), "r"(kPairShape)
                   : "memory");
      asm volatile("tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%0], %1;" ::"r"(
                       shared(&done)),
                   "h"(uint16_t{3})
                   : "memory");
    }
  }
  wait(&done, 0);
  after_sync();
  out[rank * 128 + threadIdx.x] = load_tensor(address + (warp << 21));
  wait_loads();
  before_sync();
  meet_pair();
  after_sync();
  if (warp == 0)
    asm volatile("tcgen05.dealloc.cta_group::2.sync.aligned.b32 %0, %1;" ::"r"(address), "r"(kColumns) : "memory");
}

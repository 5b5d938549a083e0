// SPDX-License-Identifier: Apache-2.0
// A product of two CTAs. The bug: each CTA's copies count to its own barrier, and the first one, which multiplies for both, waits
// for its own half of the operands alone.
#include "../tcgen05_pair.cuh"
extern "C" __global__ void __cluster_dims__(2) product(const char* in, uint32_t* out) {
  __shared__ alignas(128) char a[kBytesA], b[kBytesB];
  __shared__ uint64_t full, done;
  __shared__ uint32_t address;
  const uint32_t warp = threadIdx.x / 32, rank = rank_in_cluster();
  if (warp == 0) allocate_pair(&address, kColumns);
  if (threadIdx.x == 0) {
    init(&full, 1);
    init(&done, 1);
    fence_init();
  }
  before_sync();
  __syncthreads();
  meet_pair();
  after_sync();
  const uint32_t d = address;
  if (threadIdx.x == 0) {
#ifdef FIXED
    const uint32_t counted = in_cta(&full, 0);
    if (rank == 0) expect(&full, 2 * (kBytesA + kBytesB));
#else
    const uint32_t counted = shared(&full);
    expect(&full, kBytesA + kBytesB);
#endif
    const auto load = [&](void* to, const char* from, uint32_t bytes) {
      asm volatile(
          "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
              in_cta(to, rank)),
          "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(counted)
          : "memory");
    };
    load(a, in + rank * kBytesA, kBytesA);
    load(b, in + 2 * kBytesA + rank * kBytesB, kBytesB);
    if (rank == 0) {
      wait_far(&full, 0);
      after_sync();
      asm volatile(
          "{ .reg .pred p; setp.ne.u32 p, 0, 0; tcgen05.mma.cta_group::2.kind::f16 [%0], %1, %2, %3, p; }" ::
              "r"(d),
          "l"(matrix(a)), "l"(matrix(b)), "r"(kPairShape)
          : "memory");
      asm volatile(
          "tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%0], "
          "%1;" ::"r"(shared(&done)),
          "h"(static_cast<uint16_t>(3))
          : "memory");
    }
  }
  __syncwarp();
  wait_far(&done, 0);
  after_sync();
  const uint32_t value = load_tensor(d + (warp << 21));
  wait_loads();
  out[blockIdx.x * 128 + threadIdx.x] = value;
  before_sync();
  __syncthreads();
  meet_pair();
  after_sync();
  if (warp == 0)
    asm volatile("tcgen05.dealloc.cta_group::2.sync.aligned.b32 %0, %1;" ::"r"(d), "r"(kColumns) : "memory");
}

// SPDX-License-Identifier: Apache-2.0
// One CTA of a cluster multiplies; its commit arrives at objects of both. The bug: the other one does not wait for that, and may have
// left.
#include "../cluster.cuh"
#include "../tcgen05.cuh"
extern "C" __global__ void __cluster_dims__(2, 1, 1) product(const char* in, uint32_t* out) {
  __shared__ alignas(128) char a[kBytesA], b[kBytesB];
  __shared__ uint64_t full, done;
  __shared__ uint32_t address;
  const int t = threadIdx.x, warp = t / 32;
  const uint32_t rank = rank_in_cluster();
  if (warp == 0) allocate(&address, kWidth);
  if (t == 0) {
    init(&full, 1);
    init(&done, 1);
    fence_init();
  }
  before_sync();
  meet_cluster();
  after_sync();
  const uint32_t d = address;
  if (rank == 0 && warp == 1 && elected()) {
    expect(&full, kBytesA + kBytesB);
    load_bulk(a, in, kBytesA, &full);
    load_bulk(b, in + kBytesA, kBytesB, &full);
    wait(&full, 0);
    multiply(d, matrix(a), matrix(b), 0);
    asm volatile(
        "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%0], "
        "%1;" ::"r"(shared(&done)),
        "h"(uint16_t{3})
        : "memory");
  }
  __syncwarp();
#ifdef FIXED
  wait(&done, 0);
#else
  if (rank == 0) wait(&done, 0);
#endif
  after_sync();
  if (rank == 0) {
    out[t] = load_tensor(d + (warp << 21));
    wait_loads();
  }
  before_sync();
  __syncthreads();
  after_sync();
  if (warp == 0) deallocate(d, kWidth);
}

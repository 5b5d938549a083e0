// SPDX-License-Identifier: Apache-2.0
// The other CTAs of a cluster add what they have to the sums of the first one, by red.async. The bug: the sums begin with
// what the first has behind the barrier of the cluster, where additions may already be under way.
#include "../ptx.cuh"
__device__ __forceinline__ uint32_t in_first(const void* p) {
  uint32_t at;
  asm volatile("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(at) : "r"(shared(p)));
  return at;
}
extern "C" __global__ void __cluster_dims__(4, 1, 1) total(const int* in, int* out) {
  __shared__ uint32_t sums[32];
  __shared__ uint64_t done;
  const int i = threadIdx.x;
  if (blockIdx.x % 4 == 0 && i == 0) {
    init(&done, 1);
    expect(&done, 3 * sizeof sums);
  }
  const int own = in[blockIdx.x * 32 + i];
#ifdef FIXED
  sums[i] = own;
#endif
  asm volatile("barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;" ::: "memory");
#ifndef FIXED
  sums[i] = own;
#endif
  if (blockIdx.x % 4 != 0)
    asm volatile(
        "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%0], %1, [%2];" ::
            "r"(in_first(&sums[i])),
        "r"(own), "r"(in_first(&done))
        : "memory");
  if (blockIdx.x % 4 == 0) {
    wait(&done, 0);
    out[blockIdx.x / 4 * 32 + i] = sums[i];
  }
}

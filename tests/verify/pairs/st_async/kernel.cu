// SPDX-License-Identifier: Apache-2.0
// Each CTA of a pair sends its values to the other by st.async, which counts their bytes at the other's object. The bug: the
// barrier of the cluster is taken for what tells that they are there.
#include "../ptx.cuh"
__device__ __forceinline__ uint32_t in_peer(const void* p, uint32_t rank) {
  uint32_t at;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(at) : "r"(shared(p)), "r"(rank));
  return at;
}
extern "C" __global__ void __cluster_dims__(2, 1, 1) swap(const int* in, int* out) {
  __shared__ alignas(16) int box[64];
  __shared__ uint64_t there;
  uint32_t rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  const int i = threadIdx.x;
  if (i == 0) {
    init(&there, 1);
    expect(&there, sizeof box);
  }
  asm volatile("barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;" ::: "memory");
  asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.s32 [%0], %1, [%2];" ::"r"(
                   in_peer(&box[i], rank ^ 1)),
               "r"(in[blockIdx.x * 64 + i]), "r"(in_peer(&there, rank ^ 1))
               : "memory");
#ifdef FIXED
  wait(&there, 0);
#else
  asm volatile("barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;" ::: "memory");
#endif
  out[blockIdx.x * 64 + i] = box[i];
  asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
}

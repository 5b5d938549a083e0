// SPDX-License-Identifier: Apache-2.0
// Halves of a row are in the shared memory of two CTAs. The bug: the load of the other half names the window of the own
// CTA, in which that address is not.
extern "C" __global__ void __cluster_dims__(2, 1, 1) mirrored(const int* in, int* out) {
  __shared__ int s[32];
  const int i = threadIdx.x;
  unsigned rank, there;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  s[i] = in[rank * 32 + i];
  asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
               : "=r"(there)
               : "r"((unsigned)__cvta_generic_to_shared(&s[31 - i])), "r"(rank ^ 1));
  int value;
#ifdef FIXED
  asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(there) : "memory");
#else
  asm volatile("ld.shared.u32 %0, [%1];" : "=r"(value) : "r"(there) : "memory");
#endif
  out[rank * 32 + i] = value;
  asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
}

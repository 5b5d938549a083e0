// SPDX-License-Identifier: Apache-2.0
// CTAs count in bins of each other. The bug: the other's bins may not be cleared yet.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void __cluster_dims__(2, 1, 1) hist(const int* in, int* out) {
  __shared__ int bins[32];
  cg::cluster_group cluster = cg::this_cluster();
  const int t = threadIdx.x, rank = cluster.block_rank();
  bins[t] = 0;
#ifdef FIXED
  cluster.sync();
#else
  __syncthreads();
#endif
  const int bin = (t * 7 + rank) % 64;
  atomicAdd(cluster.map_shared_rank(bins, bin / 32) + bin % 32, 1);
  cluster.sync();
  atomicAdd(&out[rank * 32 + t], bins[t]);
}

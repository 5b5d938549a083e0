// SPDX-License-Identifier: Apache-2.0
// CTAs read each other's shared memory. The bug: nothing keeps one from exiting before the other has read.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void __cluster_dims__(2, 1, 1) halo(const int* in, int* out) {
  __shared__ int mine[64];
  cg::cluster_group cluster = cg::this_cluster();
  const int t = threadIdx.x, rank = cluster.block_rank();
  mine[t] = in[blockIdx.x * 64 + t];
  cluster.sync();
  const int* other = cluster.map_shared_rank(mine, rank ^ 1);
  out[blockIdx.x * 64 + t] = mine[t] + other[63 - t];
#ifdef FIXED
  cluster.sync();
#endif
}

// SPDX-License-Identifier: Apache-2.0
// A block reads its neighbour's shared memory. The bug: nothing keeps the neighbour from exiting before that.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void __cluster_dims__(2) k(const int* in, int* out) {
  __shared__ int s[32];
  cg::cluster_group c = cg::this_cluster();
  s[threadIdx.x] = in[blockIdx.x * 32 + threadIdx.x];
  c.sync();
  int* other = c.map_shared_rank(s, 1 - c.block_rank());
  out[blockIdx.x * 32 + threadIdx.x] = other[threadIdx.x];
#ifdef FIXED
  c.sync();
#endif
}

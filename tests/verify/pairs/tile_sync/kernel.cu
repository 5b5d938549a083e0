// SPDX-License-Identifier: Apache-2.0
// Tiles of 16 transpose through shared memory. The bug: the tile does not meet before it reads.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void transpose(const int* in, int* out) {
  __shared__ int s[128];
  auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  const int base = threadIdx.x - tile.thread_rank();
  s[threadIdx.x] = in[threadIdx.x];
#ifdef FIXED
  tile.sync();
#endif
  out[threadIdx.x] = s[base + 15 - tile.thread_rank()];
}

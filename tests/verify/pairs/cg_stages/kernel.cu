// SPDX-License-Identifier: Apache-2.0
// Two stages that a block fills together by cooperative groups. The bug: it waits until two copies are under way, not one.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
extern "C" __global__ void sums(const int4* in, int* out, int stages) {
  __shared__ alignas(16) int4 s[2][64];
  __shared__ int part[8][16];
  const auto block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<16>(block);
  cg::memcpy_async(block, s[0], in, sizeof s[0]);
#pragma unroll 1
  for (int i = 0; i < stages; ++i) {
    if (i + 1 < stages) {
      cg::memcpy_async(block, s[(i + 1) & 1], in + (i + 1) * 64, sizeof s[0]);
#ifdef FIXED
      cg::wait_prior<1>(block);
#else
      cg::wait_prior<2>(block);
#endif
    } else {
      cg::wait(block);
    }
    const int4 v = s[i & 1][threadIdx.x * 7 % 64];
    part[tile.meta_group_rank()][tile.thread_rank()] = v.x ^ v.y ^ v.z ^ v.w;
    tile.sync();
    const int sum = cg::reduce(tile, part[tile.meta_group_rank()][15 - tile.thread_rank()], cg::plus<int>());
    if (tile.thread_rank() == 0) out[i * 8 + tile.meta_group_rank()] = sum;
    block.sync();
  }
}

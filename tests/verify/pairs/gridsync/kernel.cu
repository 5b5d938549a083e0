// SPDX-License-Identifier: Apache-2.0
// Neighbours of a stencil across blocks. The bug: block.sync() where the whole grid must meet.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void stencil(const int* in, int* mid, int* out) {
  const int n = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  mid[i] = in[i] + 1;
#ifdef FIXED
  cg::this_grid().sync();
#else
  cg::this_thread_block().sync();
#endif
  out[i] = mid[(i + 1) % n] + mid[(i + n - 1) % n];
}

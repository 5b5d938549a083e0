// SPDX-License-Identifier: Apache-2.0
// Steps of a stencil on two arrays that change places. The bug: the grid meets only every other step.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void steps(int* a, int* b, int n) {
  auto grid = cg::this_grid();
  const int all = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 1
  for (int k = 0; k < n; ++k) {
    b[i] = a[(i + 1) % all] + 1;
    grid.sync();
    a[i] = b[(i + 1) % all] + 1;
#ifdef FIXED
    grid.sync();
#endif
  }
}

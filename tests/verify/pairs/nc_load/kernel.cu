// SPDX-License-Identifier: Apache-2.0
// A second pass over what other blocks wrote. The bug: it reads by the read-only path.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void passes(const int* in, int* mid, int* out) {
  const int n = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  mid[i] = in[i] + 1;
  cg::this_grid().sync();
#ifdef FIXED
  out[i] = mid[n - 1 - i];
#else
  out[i] = __ldg(mid + n - 1 - i);
#endif
}

// SPDX-License-Identifier: Apache-2.0
// CTAs store tiles of a matrix, side by side. The bug: a tile is one row higher than the distance between tiles.
constexpr int kSide = 16;
extern "C" __global__ void scale(const float* in, float* out, int width) {
#ifdef FIXED
  const int rows = kSide;
#else
  const int rows = kSide + 1;
#endif
  const int x = blockIdx.x * kSide + threadIdx.x;
  for (int row = threadIdx.y; row < rows; row += kSide) {
    const int at = (blockIdx.y * kSide + row) * width + x;
    out[at] = 2 * in[at];
  }
}

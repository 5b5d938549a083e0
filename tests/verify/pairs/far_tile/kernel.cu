// SPDX-License-Identifier: Apache-2.0
// Each block copies a tile: its number is taken apart into a row and a column of tiles, and put together again. With another number of
// columns on the way back the first tile of a row is the last one of the row before.
#ifndef FIXED
#define PITCH (columns - 1)
#else
#define PITCH columns
#endif
extern "C" __global__ void tiles(const float* in, float* out, unsigned columns) {
  const unsigned row = blockIdx.x / columns, column = blockIdx.x % columns;
  const unsigned i = (row * PITCH + column) * blockDim.x + threadIdx.x;
  out[i] = in[blockIdx.x * blockDim.x + threadIdx.x];
}

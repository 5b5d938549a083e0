// SPDX-License-Identifier: Apache-2.0
// Inclusive prefix over blocks by decoupled look-back. The bug: value and flag are two words, and nothing
// keeps the value before the flag.
struct Tile {
  volatile int flag;
  volatile int aggregate, prefix;
};
extern "C" __global__ void scan(const int* in, int* out, Tile* tiles) {
  __shared__ int before;
  const int b = blockIdx.x;
  const int v = in[b * 32 + threadIdx.x];
  int incl = v;
  for (int d = 1; d < 32; d *= 2) {
    const int up = __shfl_up_sync(0xffffffffu, incl, d);
    if (threadIdx.x >= d) incl += up;
  }
  const int total = __shfl_sync(0xffffffffu, incl, 31);
  if (threadIdx.x == 0) {
    int* plain = (int*)&tiles[b].aggregate;
    plain[b == 0 ? 1 : 0] = total;
#ifdef FIXED
    __threadfence();
#endif
    tiles[b].flag = b == 0 ? 2 : 1;
    int sum = 0;
    for (int p = b - 1; p >= 0; --p) {
      int f;
      while ((f = tiles[p].flag) == 0) {
      }
      __threadfence();
      const int* t = (const int*)&tiles[p].aggregate;
      if (f == 2) {
        sum += t[1];
        break;
      }
      sum += t[0];
    }
    if (b != 0) {
      plain[1] = sum + total;
#ifdef FIXED
      __threadfence();
#endif
      tiles[b].flag = 2;
    }
    before = sum;
  }
  __syncwarp();
  out[b * 32 + threadIdx.x] = before + incl;
}

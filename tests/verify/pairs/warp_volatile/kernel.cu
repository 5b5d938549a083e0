// SPDX-License-Identifier: Apache-2.0
// The sum of a warp by volatile accesses, as before Volta. The bug: nothing makes the threads meet between a step's stores
// and the next one's loads.
extern "C" __global__ void total(const int* in, int* out) {
  __shared__ volatile int s[64];
  const int i = threadIdx.x;
  s[i] = in[i];
  s[i + 32] = 0;
  for (int half = 16; half > 0; half /= 2) {
#ifdef FIXED
    __syncwarp();
    const int other = s[i + half];
    __syncwarp();
#else
    const int other = s[i + half];
#endif
    s[i] = s[i] + other;
  }
  if (i == 0) *out = s[0];
}

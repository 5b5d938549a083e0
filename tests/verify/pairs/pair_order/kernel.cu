// SPDX-License-Identifier: Apache-2.0
// The one of two neighbours with the greater key writes for both. The bug: of equal keys, both write.
extern "C" __global__ void winners(const int* keys, int* out) {
  const unsigned t = threadIdx.x;
#ifdef FIXED
  if (keys[t] > keys[t ^ 1]) out[t / 2] = t;
#else
  if (keys[t] >= keys[t ^ 1]) out[t / 2] = t;
#endif
}

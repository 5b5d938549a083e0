// SPDX-License-Identifier: Apache-2.0
// The first lane of a warp that has something to say writes for all of them. The bug: it looks at the lanes of the ballot that
// are below the one before it, so that two lanes beside each other both take themselves for the first.
extern "C" __global__ void first(const int* in, int* out) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const bool has = in[threadIdx.x] > 0;
  const unsigned all = __ballot_sync(0xffffffffu, has);
#ifdef FIXED
  const unsigned below = (1u << lane) - 1;
#else
  const unsigned below = ((1u << lane) - 1) >> 1;
#endif
  if (has && (all & below) == 0) out[warp] = threadIdx.x;
}

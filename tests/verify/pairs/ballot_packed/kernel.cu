// SPDX-License-Identifier: Apache-2.0
// The lanes of a warp that have something to keep write it behind each other, each behind as many as there are below it in the
// ballot. The bug: zero is kept without a vote for it, so that two lanes write to one place.
extern "C" __global__ void pack(const int* in, int* out) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int v = in[threadIdx.x];
  const unsigned keep = __ballot_sync(0xffffffffu, v > 0);
#ifdef FIXED
  const bool keeps = v > 0;
#else
  const bool keeps = v >= 0;
#endif
  if (keeps) out[warp * 32 + __popc(keep & ((1u << lane) - 1))] = v;
}

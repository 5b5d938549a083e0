// SPDX-License-Identifier: Apache-2.0
// The lanes of a warp append to a list; one takes the space for all. The bug: its answer goes through
// shared memory, and the lanes do not meet.
extern "C" __global__ void compact(const int* in, int* out, int* size) {
  __shared__ int base[2];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int v = in[threadIdx.x];
  const unsigned keep = __ballot_sync(0xffffffffu, v > 0);
  if (lane == 0) base[warp] = atomicAdd(size, __popc(keep));
#ifdef FIXED
  __syncwarp();
#endif
  if (v > 0) out[base[warp] + __popc(keep & ((1u << lane) - 1))] = v;
}

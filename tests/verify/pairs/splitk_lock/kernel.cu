// SPDX-License-Identifier: Apache-2.0
// Blocks add their slices of a tile to it in turn: one thread of each waits until the counter of the tile is at its slice, and counts on
// behind that. The bug: the others do not meet it when it has waited.
__device__ inline void acquire(const int* counter, int slice) {
  if (threadIdx.x == 0) {
    int at = -1;
    do asm volatile("ld.global.acquire.gpu.b32 %0, [%1];" : "=r"(at) : "l"(counter) : "memory");
    while (at != slice);
  }
#ifdef FIXED
  __syncthreads();
#endif
}
__device__ inline void release(int* counter, bool last) {
  __syncthreads();
  if (threadIdx.x != 0) return;
  if (last) {
    *counter = 0;
  } else {
    asm volatile("fence.acq_rel.gpu;\n red.relaxed.gpu.global.add.s32 [%0], 1;" ::"l"(counter) : "memory");
  }
}
extern "C" __global__ void splitk(const int4* in, int4* out, int* counters, int tiles) {
  const int slices = gridDim.x, slice = blockIdx.x;
#pragma unroll 1
  for (int tile = 0; tile < tiles; ++tile) {
    int4 v = in[(slice * tiles + tile) * 128 + threadIdx.x];
    acquire(&counters[tile], slice);
    if (slice != 0) {
      const int4 sum = out[tile * 128 + threadIdx.x];
      v = {v.x + sum.x, v.y + sum.y, v.z + sum.z, v.w + sum.w};
    }
    out[tile * 128 + threadIdx.x] = v;
    release(&counters[tile], slice == slices - 1);
  }
}

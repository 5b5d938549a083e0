// SPDX-License-Identifier: Apache-2.0
// One lane fetches a word for its warp. The bug: thread 0 reads it at once, as if it were the lane that is elected.
__device__ bool elected() {
  unsigned one;
  asm volatile("{ .reg .pred p; elect.sync _|p, 0xffffffff; selp.u32 %0, 1, 0, p; }" : "=r"(one));
  return one != 0;
}
extern "C" __global__ void first(const int* in, int* out) {
  __shared__ int word;
  if (elected()) word = in[0];
#ifdef FIXED
  __syncwarp();
#endif
  if (threadIdx.x == 0) out[0] = word;
}

// SPDX-License-Identifier: Apache-2.0
// Each warp leaves its maximum, and every second warp combines two of them. The bug: the barrier before that is in the branch of those that
// combine, so that they meet the others at the barrier behind it. The mend: one barrier, before the branch.
extern "C" __global__ void combine(const float* in, float* out) {
  __shared__ float most[4], both[4];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (lane == 0) most[warp] = in[warp];
#ifdef FIXED
  __syncthreads();
  if (warp % 2 == 0) {
    if (lane == 0) both[warp] = fmaxf(most[warp], most[warp + 1]);
  }
#else
  if (warp % 2 == 0) {
    __syncthreads();
    if (lane == 0) both[warp] = fmaxf(most[warp], most[warp + 1]);
  }
#endif
  __syncthreads();
  out[threadIdx.x] = both[warp & ~1];
}

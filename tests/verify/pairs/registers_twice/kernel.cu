// SPDX-License-Identifier: Apache-2.0
// A warpgroup gives registers back while it copies, and takes them again to compute. The bug: nothing stands between the two but
// what each warp does for itself.
#include "../ptx.cuh"
extern "C" __global__ void __launch_bounds__(128, 1) k(const int* in, int* out) {
  __shared__ int tile[128];
  asm volatile("setmaxnreg.dec.sync.aligned.u32 40;" ::: "memory");
  const uint32_t t = threadIdx.x;
  tile[t] = in[t];
#ifdef FIXED
  __syncthreads();
#else
  __syncwarp();
#endif
  asm volatile("setmaxnreg.inc.sync.aligned.u32 128;" ::: "memory");
  out[t] = tile[t ^ 1];
}

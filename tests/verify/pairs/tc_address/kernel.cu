// SPDX-License-Identifier: Apache-2.0
// The address of an allocation goes through shared memory. The bug: no barrier before the other warps read it.
#include "../tcgen05.cuh"
extern "C" __global__ void k(uint32_t* out) {
  __shared__ uint32_t address;
  const int warp = threadIdx.x / 32;
  if (warp == 0) allocate(&address, 64);
#ifdef FIXED
  before_sync();
  __syncthreads();
  after_sync();
#else
  __syncwarp();
#endif
  const uint32_t d = address + (warp << 21);
  store_tensor(d, threadIdx.x);
  wait_stores();
  out[threadIdx.x] = load_tensor(d);
  wait_loads();
  before_sync();
  __syncthreads();
  after_sync();
  if (warp == 0) deallocate(address, 64);
}

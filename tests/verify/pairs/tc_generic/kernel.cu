// SPDX-License-Identifier: Apache-2.0
// A matrix that threads store into shared memory. The bug: no fence.proxy.async before tcgen05.mma reads it.
#include "../tcgen05.cuh"
extern "C" __global__ void product(const uint32_t* in, uint32_t* out) {
  __shared__ alignas(128) uint32_t a[kBytesA / 4], b[kBytesB / 4];
  __shared__ uint64_t done;
  __shared__ uint32_t address;
  const int warp = threadIdx.x / 32;
  if (warp == 0) allocate(&address, kWidth);
  if (threadIdx.x == 0) {
    init(&done, 1);
    fence_init();
  }
  for (uint32_t i = threadIdx.x; i < kBytesA / 4; i += 128) a[i] = in[i];
  for (uint32_t i = threadIdx.x; i < kBytesB / 4; i += 128) b[i] = in[i];
#ifdef FIXED
  fence_async();
#endif
  before_sync();
  __syncthreads();
  after_sync();
  if (warp == 1 && elected()) {
    multiply(address, matrix(a), matrix(b), 0);
    commit(&done);
  }
  wait(&done, 0);
  after_sync();
  out[threadIdx.x] = load_tensor(address + (warp << 21));
  wait_loads();
  before_sync();
  __syncthreads();
  after_sync();
  if (warp == 0) deallocate(address, kWidth);
}

// SPDX-License-Identifier: Apache-2.0
// Scale factors go to tensor memory by tcgen05.cp. The bug: no proxy fence behind the stores to shared memory.
#include "../tcgen05.cuh"
extern "C" __global__ void k(const uint32_t* in, uint32_t* out) {
  __shared__ alignas(128) uint32_t sf[128 * 4];
  __shared__ uint64_t done;
  __shared__ uint32_t address;
  const int warp = threadIdx.x / 32;
  if (warp == 0) allocate(&address, 64);
  if (threadIdx.x == 0) {
    init(&done, 1);
    fence_init();
  }
  for (int i = 0; i < 4; ++i) sf[i * 128 + threadIdx.x] = in[i * 128 + threadIdx.x];
#ifdef FIXED
  fence_async();
#endif
  before_sync();
  __syncthreads();
  after_sync();
  const uint32_t d = address;
  if (warp == 0 && elected()) {
    asm volatile("tcgen05.cp.cta_group::1.128x128b [%0], %1;" ::"r"(d),
                 "l"((shared(sf) & 0x3ffff) >> 4 | uint64_t{128 >> 4} << 16 | uint64_t{128 >> 4} << 32 |
                     uint64_t{1} << 46)
                 : "memory");
    commit(&done);
  }
  wait(&done, 0);
  after_sync();
  out[threadIdx.x] = load_tensor(d + (warp << 21));
  wait_loads();
  before_sync();
  __syncthreads();
  after_sync();
  if (warp == 0) deallocate(d, 64);
}

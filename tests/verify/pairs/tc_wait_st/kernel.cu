// SPDX-License-Identifier: Apache-2.0
// Accumulators that start as something else than zero. The bug: tcgen05.mma adds to them before tcgen05.wait::st.
#include "../tcgen05.cuh"
extern "C" __global__ void product(const char* in, uint32_t* out) {
  __shared__ alignas(128) char a[kBytesA], b[kBytesB];
  __shared__ uint64_t full, done;
  __shared__ uint32_t address;
  const int warp = threadIdx.x / 32;
  if (warp == 0) allocate(&address, kWidth);
  if (threadIdx.x == 0) {
    init(&full, 1);
    init(&done, 1);
    fence_init();
  }
  __syncthreads();
  for (uint32_t i = 0; i < kWidth; i += 4) store_tensor(address + i + (warp << 21), i);
#ifdef FIXED
  wait_stores();
#endif
  before_sync();
  __syncthreads();
  after_sync();
  if (warp == 0 && elected()) {
    expect(&full, kBytesA + kBytesB);
    load_bulk(a, in, kBytesA, &full);
    load_bulk(b, in, kBytesB, &full);
    wait(&full, 0);
    multiply(address, matrix(a), matrix(b), 1);
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

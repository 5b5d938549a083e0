// SPDX-License-Identifier: Apache-2.0
// A buffer is laid over the barriers of the pipeline when that is over. The bug: they are not invalidated.
#include "../ptx.cuh"
extern "C" __global__ void epilogue(const int* in, int* out) {
  extern __shared__ __align__(128) char pool[];
  auto* full = reinterpret_cast<uint64_t*>(pool);
  int* tile = reinterpret_cast<int*>(pool + 128);
  if (threadIdx.x == 0) {
    init(full, 1);
    fence_init();
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    expect(full, 256);
    load_bulk(tile, in, 256, full);
  }
  wait(full, 0);
  const int v = tile[63 - threadIdx.x];
  __syncthreads();
#ifdef FIXED
  if (threadIdx.x == 0) asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(shared(full)) : "memory");
  __syncthreads();
#endif
  int* stage = reinterpret_cast<int*>(pool);
  stage[threadIdx.x] = v;
  __syncthreads();
  out[threadIdx.x] = stage[threadIdx.x ^ 1];
}

// SPDX-License-Identifier: Apache-2.0
// An mbarrier object in place of a block barrier. The bug: it is invalidated while others may still wait.
#include "../ptx.cuh"
extern "C" __global__ void exchange(const int* in, int* out) {
  __shared__ uint64_t turn;
  __shared__ int tile[64];
  if (threadIdx.x == 0) init(&turn, 64);
  __syncthreads();
  tile[threadIdx.x] = in[threadIdx.x];
  arrive(&turn);
  wait(&turn, 0);
  out[threadIdx.x] = tile[63 - threadIdx.x];
#ifdef FIXED
  __syncthreads();
#endif
  if (threadIdx.x == 0) asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(shared(&turn)) : "memory");
}

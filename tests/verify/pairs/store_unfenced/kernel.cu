// SPDX-License-Identifier: Apache-2.0
// Results go out by a bulk store. The bug: no proxy fence behind the generic stores that fill the buffer.
#include "../ptx.cuh"
extern "C" __global__ void square(const int* in, int* out) {
  __shared__ alignas(128) int s[128];
  const int i = blockIdx.x * 128 + threadIdx.x;
  s[threadIdx.x] = in[i] * in[i];
#ifdef FIXED
  fence_async();
#endif
  __syncthreads();
  if (threadIdx.x == 0) {
    store_bulk(out + blockIdx.x * 128, s, sizeof s);
    commit_bulk();
    wait_bulk_read<0>();
  }
}

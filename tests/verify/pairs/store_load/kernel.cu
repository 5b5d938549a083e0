// SPDX-License-Identifier: Apache-2.0
// A block reads what it has stored in bulk. The bug: it waits until the store has read its source, not until it is complete.
#include "../ptx.cuh"
extern "C" __global__ void k(const int* in, int* out) {
  __shared__ alignas(128) int s[128];
  const int t = threadIdx.x;
  s[t] = in[t];
  fence_async();
  __syncthreads();
  if (t == 0) {
    store_bulk(out, s, 512);
    commit_bulk();
#ifdef FIXED
    wait_bulk<0>();
#else
    wait_bulk_read<0>();
#endif
  }
  __syncthreads();
  out[128 + t] = out[127 - t] + s[t];
}

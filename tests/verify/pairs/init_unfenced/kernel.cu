// SPDX-License-Identifier: Apache-2.0
// A bulk copy right behind the init of its mbarrier. The bug: no fence shows the init to the async proxy.
#include "../ptx.cuh"
extern "C" __global__ void fetch(const int* in, int* out) {
  __shared__ alignas(128) int s[64];
  __shared__ uint64_t full;
  if (threadIdx.x == 0) {
    init(&full, 1);
#ifdef FIXED
    fence_init();
#endif
    expect(&full, sizeof s);
    load_bulk(s, in, sizeof s, &full);
  }
  __syncthreads();
  wait(&full, 0);
  out[threadIdx.x] = s[threadIdx.x];
}
